#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/run_task.hpp"
#include "output/run_lock.hpp"
#include "output/shards.hpp"
#include "report/summary.hpp"
#include "scenario/shard.hpp"
#include "scenario/text_difference.hpp"
#include "scenario/varied_starts.hpp"

namespace kalaba {
namespace {

struct MergeRequest {
  std::vector<std::string> files;
  std::string output;
  bool restarts = false;
  bool quiet = false;
};

/// Why a shard is not of the run that the first is of; "" where it is.
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

/// In the order of their members. Throws Error naming the shard that does not fit, or is not there.
std::vector<ShardFile> read_shards(const std::vector<std::string>& files) {
  std::vector<ShardFile> shards;
  for (const std::string& file : files) {
    shards.push_back(read_shard(file));
    shards.back().provenance.varied_starts = varied_starts(shards.back().provenance.scenario);
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
  for (long wanted = 1; wanted <= count; ++wanted) {
    if (at < shards.size() && number(shards[at]) == wanted) {
      ++at;
    } else {
      missing.push_back(fmt::format("{}/{}", wanted, count));
    }
  }
  if (missing.empty()) return shards;
  constexpr std::size_t most = 10;
  const bool many = missing.size() > most;
  if (many) missing.resize(most);
  throw Error(ExitCode::bad_input,
              fmt::format("expected every shard, missing: {}{}", fmt::join(missing, ", "), many ? ", ..." : ""));
}

void check_output(const MergeRequest& request) {
  if (std::filesystem::path(request.output).extension() != ".nc") {
    throw Error(ExitCode::bad_input,
                fmt::format("--output: expected a name that ends in .nc, found {}", request.output));
  }
  std::error_code ignored;
  for (const std::string& file : request.files) {
    if (!std::filesystem::equivalent(file, request.output, ignored)) continue;
    throw Error(ExitCode::bad_input, fmt::format("{}: is a shard itself, expected another output", request.output));
  }
}

ExitCode merge(const MergeRequest& request) {
  check_output(request);
  std::vector<ShardFile> shards = read_shards(request.files);
  ShardFile& first = shards.front();
  Scenario scenario = load_run_text(first.provenance.scenario, first.path);
  for (const Backend backend : {Backend::reference, Backend::cpu, Backend::cuda}) {
    if (backend_name(backend) == first.backend) scenario.options.backend = backend;
  }
  first.provenance.seed = scenario.seed;
  scenario.options.statistics.inputs = first.inputs;
  scenario.options.statistics.groups = first.groups;
  const RunLock lock(request.output);
  check_unfinished(request.output, request.restarts);
  const RunInfo run{&scenario.system->info,        scenario.options, first.ensemble, 0, 0,
                    saved_times(scenario.options), first.device};
  const Summary summary = merge_shards(shards, run, request.output);
  if (request.quiet) {
    report_failures(summary);
  } else {
    std::fputs(summary_text(scenario.system->info, scenario.options, summary, request.output).c_str(), stdout);
  }
  return summary.failed() > 0 ? ExitCode::members_failed : ExitCode::ok;
}

}  // namespace

Command add_merge_command(CLI::App& app) {
  CLI::App* words = app.add_subcommand("merge", "Join the parts of a run that --shard divided");
  const auto request = std::make_shared<MergeRequest>();
  words->add_option("FILE", request->files, "The files of all shards, in any order")->type_name("...")->required();
  words->add_option("-o,--output", request->output, "Write this netCDF file (.nc)")->type_name("FILE")->required();
  words->add_flag("--restart", request->restarts, "Write it where an unfinished run is in the way");
  words->add_flag("--quiet", request->quiet, "Print nothing but errors");
  words->footer(
      "What comes out holds the bits of an undivided run, statistics too.\n"
      "Example:\n"
      "  kalaba run sweep.toml --shard 1/2 -o sweep.nc\n"
      "  kalaba run sweep.toml --shard 2/2 -o sweep.nc\n"
      "  kalaba merge sweep.1-of-2.nc sweep.2-of-2.nc -o sweep.nc");
  return {words, [request] { return merge(*request); }};
}

}  // namespace kalaba
