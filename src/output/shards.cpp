#include "output/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "kalaba/error.hpp"
#include "kalaba/statistics.hpp"
#include "output/base/outcome_figures.hpp"
#include "output/netcdf/finished.hpp"
#include "output/netcdf/growing_netcdf.hpp"
#include "output/netcdf/netcdf_outcome.hpp"
#include "output/outputs.hpp"

namespace kalaba {
namespace {

constexpr std::size_t at_once = std::size_t{1} << 20;  // numbers

void add(LyapunovOutcome& sum, const LyapunovOutcome& part) {
  sum.members += part.members;
  sum.directions = std::max(sum.directions, part.directions);
  sum.least = std::fmin(sum.least, part.least);
  sum.greatest = std::fmax(sum.greatest, part.greatest);
  sum.grown_apart += part.grown_apart;
  sum.outgrown_steps += part.outgrown_steps;
}

void add(Drift& sum, const Drift& part) {
  if (part.member >= 0 && (sum.member < 0 || !(part.energy <= sum.energy))) {
    sum.energy = part.energy;
    sum.first = part.first;
    sum.member = part.member;
  }
  sum.drifted += part.drifted;
  if (!(part.relative > sum.relative)) return;
  sum.relative = part.relative;
  sum.relative_member = part.relative_member;
}

void add(InvariantDrift& sum, const InvariantDrift& part) {
  const long drifted = sum.drifted + part.drifted;
  if (part.drifted > 0 && (sum.drifted == 0 || part.relative > sum.relative)) sum = part;
  sum.drifted = drifted;
}

void add(Summary& sum, const Summary& part) {
  for (const OutcomeFigure& figure : outcome_figures) figure.join(sum, part);
  add(sum.drift, part.drift);
  add(sum.passage_drift, part.passage_drift);
  add(sum.invariants, part.invariants);
  if (sum.first_start_off < 0) sum.first_start_off = part.first_start_off;
  for (std::size_t i = 0; i < sum.by_status.size(); ++i) sum.by_status[i] += part.by_status[i];
  for (std::size_t i = 0; i < sum.first_failures.size(); ++i) {
    if (sum.first_failures[i].member < 0) sum.first_failures[i] = part.first_failures[i];
  }
  sum.finished_members += part.finished_members;
  const long moved = sum.starts.members + part.starts.members;
  if (part.starts.largest > sum.starts.largest) sum.starts = part.starts;
  sum.starts.members = moved;
  add(sum.lyapunov, part.lyapunov);
  for (std::size_t i = 0; i < std::min(sum.events.size(), part.events.size()); ++i) {
    sum.events[i].members += part.events[i].members;
    sum.events[i].crossings += part.events[i].crossings;
    sum.events[i].gaining += part.events[i].gaining;
    sum.events[i].earliest = std::fmin(sum.events[i].earliest, part.events[i].earliest);
    sum.events[i].latest = std::fmax(sum.events[i].latest, part.events[i].latest);
  }
}

/// Copies a variable of a shard, row by row, to its members' positions.
void copy(const NetcdfFile& from, int variable, NetcdfFile& to, std::size_t first) {
  const std::vector<std::size_t> shape = from.shape(variable);
  const std::size_t members = shape.back();
  const std::size_t rows = std::accumulate(shape.begin(), shape.end() - 1, std::size_t{1}, std::multiplies());
  std::vector<double> numbers(std::min(members, at_once));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::size_t> start(shape.size(), 0);
    std::size_t rest = row;
    for (std::size_t i = shape.size() - 1; i-- > 0; rest /= shape[i]) start[i] = rest % shape[i];
    std::vector<std::size_t> count(shape.size(), 1);
    for (std::size_t done = 0; done < members; done += count.back()) {
      count.back() = std::min(numbers.size(), members - done);
      start.back() = done;
      from.get(variable, start, count, numbers.data());
      start.back() = first + done;
      to.put(variable, start, count, numbers.data());
    }
  }
}

}  // namespace

ShardFile read_shard(const std::string& path) {
  const NetcdfFile file = NetcdfFile::open(path);
  require_finished(file, path);
  ShardFile shard;
  shard.path = path;
  const auto text = [&](const char* name) { return file.attribute(NC_GLOBAL, name); };
  shard.provenance.shard = text("shard");
  if (shard.provenance.shard.find('/') == std::string::npos) {
    throw Error(ExitCode::file_error,
                path + ": expected a shard, as kalaba run --shard i/N writes, found another file");
  }
  shard.summary = read_summary(file);
  if (shard.summary.interrupted) {
    throw Error(ExitCode::file_error,
                fmt::format("{}: expected the whole shard {}, found that its run was interrupted; "
                            "kalaba run --resume {} continues it",
                            path, shard.provenance.shard, path));
  }
  shard.provenance.scenario = file.texts("scenario").front();
  shard.provenance.version = text("kalaba_version");
  shard.provenance.commit = text("kalaba_commit");
  shard.provenance.compiler = text("kalaba_compiler");
  shard.provenance.machine = text("machine");
  const std::string inputs = text("input_fingerprint");
  std::from_chars(inputs.data(), inputs.data() + inputs.size(), shard.provenance.inputs, 16);
  shard.backend = text("backend");
  shard.device = text("device");
  shard.first = static_cast<long>(file.number("first_member"));
  shard.members = static_cast<long>(file.dimension_size("member"));
  shard.ensemble = static_cast<long>(file.number("ensemble_members"));
  if (file.has_dimension("variable")) shard.inputs = file.get_strings(file.variable("variable"));
  if (file.has_dimension("group")) {
    shard.groups.resize(file.dimension_size("group"));
    file.get(file.variable("group"), {0}, {shard.groups.size()}, shard.groups.data());
  }
  return shard;
}

std::vector<HistogramRange> histogram_ranges(const ShardFile& shard, const std::vector<FieldLayout>& layouts) {
  const NetcdfFile file = NetcdfFile::open(shard.path);
  std::vector<HistogramRange> ranges;
  for (const FieldLayout& layout : layouts) {
    const std::string name = layout.name + "_bin_edge";
    if (!file.has_variable(name)) continue;
    const int variable = file.variable(name);
    const std::vector<std::size_t> shape = file.shape(variable);
    std::vector<double> edges(std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies()));
    file.get(variable, std::vector<std::size_t>(shape.size(), 0), shape, edges.data());
    const std::size_t stride = edges.size() / layout.components.size();  // agents use the range of their component
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      const double low = edges[i * stride];
      if (!std::isnan(low)) ranges.push_back({layout.components[i], low, edges[i * stride + shape.back() - 1]});
    }
  }
  return ranges;
}

Summary merge_shards(const std::vector<ShardFile>& shards, const RunInfo& run, const std::string& path) {
  GrowingNetcdf output(path);
  output.begin(run, shards.front().provenance);
  StatisticsSink statistics;
  const bool has_statistics = run.options.statistics.any();
  if (has_statistics) statistics.begin(run);
  Summary sum;
  sum.members = run.members;
  for (const Event& event : run.options.events) sum.events.push_back({.name = event.name, .action = event.action});
  sum.device = run.device;
  for (const ShardFile& shard : shards) {
    const NetcdfFile file = NetcdfFile::open(shard.path);
    for (const int variable : output.variables().over_members()) {
      copy(file, variable, output.file(), static_cast<std::size_t>(shard.first));
    }
    output.settle();
    if (has_statistics) statistics.absorb(file.get_bytes("statistics_state"));
    add(sum, shard.summary);
  }
  output.begin_end();
  if (has_statistics) {
    statistics.finish(sum);
    write_statistics(output.file(), output.variables().statistics, statistics.result());
  }
  write_outcome(output.file(), sum);
  output.publish_as(path);
  compress_outputs({path}, run.options, sum);
  return sum;
}

}  // namespace kalaba
