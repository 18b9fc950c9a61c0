#include "cli/merge_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/run_task.hpp"
#include "output/base/layout.hpp"
#include "output/durable/pending_file.hpp"
#include "output/durable/run_lock.hpp"
#include "output/shards.hpp"
#include "scenario/document/text_difference.hpp"
#include "scenario/sampling/design_facts.hpp"
#include "scenario/shard.hpp"

namespace kalaba {
namespace {

/// Returns the difference between the runs of two shards; "" if they belong to one run.
std::string difference(const ShardFile& first, const ShardFile& other) {
  const auto unlike = [](const char* what, const std::string& a, const std::string& b) {
    return a == b ? "" : fmt::format("{} was {}, is now {}", what, a, b);
  };
  for (const std::string& each : {unlike("kalaba's version", first.provenance.version, other.provenance.version),
                                  unlike("kalaba's commit", first.provenance.commit, other.provenance.commit),
                                  unlike("kalaba's compiler", first.provenance.compiler, other.provenance.compiler),
                                  text_difference(first.provenance.scenario, other.provenance.scenario),
                                  unlike("the backend", first.backend, other.backend)}) {
    if (!each.empty()) return each;
  }
  return first.provenance.inputs == other.provenance.inputs ? "" : "the numbers in the files that the scenario reads";
}

/// Lists at most ten names.
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t most = 10;
  const bool many = names.size() > most;
  if (many) names.resize(most);
  return fmt::format("{}{}", fmt::join(names, ", "), many ? ", ..." : "");
}

void require_files(const std::vector<std::string>& files) {
  std::vector<std::string> gone;
  std::ranges::copy_if(files, std::back_inserter(gone), [](const std::string& file) {
    std::error_code ignored;
    return !std::filesystem::exists(file, ignored);
  });
  if (gone.size() > 1) {
    throw Error(ExitCode::file_error,
                fmt::format("{} of {} shards are not there: {}", gone.size(), files.size(), some_of(gone)));
  }
}

/// Returns the shards in the order of their members. Throws Error with the name of the shard that does not fit or is
/// missing.
std::vector<ShardFile> read_shards(const std::vector<std::string>& files) {
  require_files(files);
  std::vector<ShardFile> shards;
  for (const std::string& file : files) {
    shards.push_back(read_shard(file));
    Provenance& provenance = shards.back().provenance;
    const DesignFacts facts = design_facts(provenance.scenario);
    provenance.varied_starts = facts.varied_starts;
    provenance.grid = facts.grid;
    provenance.saltelli = facts.saltelli;
    const ShardFile& first = shards.front();
    const std::string unlike = difference(first, shards.back());
    if (!unlike.empty()) {
      throw Error(ExitCode::bad_input, fmt::format("{}: is of another run than {}: {}", file, first.path, unlike));
    }
    if (parse_shard(shards.back().provenance.shard).count != parse_shard(first.provenance.shard).count) {
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: is shard {}, expected one of as many as {}, which is shard {}", file,
                              shards.back().provenance.shard, first.path, first.provenance.shard));
    }
  }
  const auto number = [](const ShardFile& shard) { return parse_shard(shard.provenance.shard).number; };
  std::ranges::stable_sort(shards, {}, number);
  const long count = parse_shard(shards.front().provenance.shard).count;
  for (std::size_t i = 0; i + 1 < shards.size(); ++i) {
    if (number(shards[i]) != number(shards[i + 1])) continue;
    throw Error(ExitCode::bad_input, fmt::format("{} and {} both are shard {}", shards[i].path, shards[i + 1].path,
                                                 shards[i].provenance.shard));
  }
  std::vector<std::string> missing;
  std::size_t at = 0;
  for (long requested = 1; requested <= count; ++requested) {
    if (at < shards.size() && number(shards[at]) == requested) {
      ++at;
    } else {
      missing.push_back(fmt::format("{}/{}", requested, count));
    }
  }
  if (missing.empty()) return shards;
  throw Error(ExitCode::bad_input, fmt::format("expected every shard, missing: {}", some_of(missing)));
}

/// Returns the ranges that the runs computed, each for the whole ensemble.
std::vector<HistogramRange> found_ranges(const std::vector<ShardFile>& shards, const Scenario& scenario) {
  const std::vector<FieldLayout> layouts = saved_layouts(scenario.system->info, scenario.options.fields);
  const auto text = [](const std::vector<HistogramRange>& ranges) {
    std::vector<std::string> each;
    for (const auto& [component, low, high] : ranges)
      each.push_back(fmt::format("{} = [{}, {}]", component, low, high));
    return fmt::format("{}", fmt::join(each, ", "));
  };
  std::vector<HistogramRange> ranges = histogram_ranges(shards.front(), layouts);
  for (const ShardFile& shard : shards) {
    const std::string found = text(histogram_ranges(shard, layouts));
    if (found == text(ranges)) continue;
    throw Error(ExitCode::bad_input,
                fmt::format("{}: has histograms of other ranges than {}, expected {}, found {}; state them in "
                            "output.histogram",
                            shard.path, shards.front().path, text(ranges), found));
  }
  return ranges;
}

void check_output(const std::vector<std::string>& files, const std::string& output) {
  if (std::filesystem::path(output).extension() != ".nc") {
    throw Error(ExitCode::bad_input, fmt::format("--output: expected a name that ends in .nc, found {}", output));
  }
  std::error_code ignored;
  for (const std::string& file : files) {
    if (!std::filesystem::equivalent(file, output, ignored)) continue;
    throw Error(ExitCode::bad_input, fmt::format("{}: is a shard itself, expected another output", output));
  }
}

}  // namespace

MergedRun merge_run(const std::vector<std::string>& files, const std::string& path, bool restarts) {
  check_output(files, path);
  std::vector<ShardFile> shards = read_shards(files);
  ShardFile& first = shards.front();
  Scenario scenario = load_run_text(first.provenance.scenario, first.path);
  const bool interpreted = first.backend == backend_text(Backend::cpu, true);
  for (const Backend backend : {Backend::reference, Backend::cpu, Backend::cuda}) {
    if (backend_text(backend, interpreted) == first.backend) scenario.options.backend = backend;
  }
  first.provenance.seed = scenario.seed;
  StatisticsOptions& statistics = scenario.options.statistics;
  statistics.inputs = first.inputs;
  statistics.groups = first.groups;
  if (statistics.has(Statistic::histogram) && statistics.histograms.empty())
    statistics.histograms = found_ranges(shards, scenario);
  const std::string output = followed(path);
  const RunLock lock(output);
  check_unfinished(output, restarts);
  const RunInfo run{&scenario.system->info,
                    scenario.options,
                    first.ensemble,
                    0,
                    0,
                    saved_times(scenario.options),
                    first.device,
                    "",
                    interpreted};
  Summary summary = merge_shards(shards, run, output);
  return {std::move(scenario), std::move(summary), output};
}

}  // namespace kalaba
