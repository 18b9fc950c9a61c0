#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/merge_task.hpp"
#include "cli/run_report.hpp"
#include "report/text/summary.hpp"

namespace kalaba {
namespace {

struct MergeRequest {
  std::vector<std::string> files;
  std::string output;
  bool restarts = false;
  bool quiet = false;
};

ExitCode merge(const MergeRequest& request) {
  const MergedRun merged = merge_run(request.files, request.output, request.restarts);
  if (request.quiet) {
    report_failures(merged.summary);
  } else {
    const Scenario& scenario = merged.scenario;
    std::fputs(summary_text(scenario.system->info, scenario.options, merged.summary, merged.path).c_str(), stdout);
  }
  return merged.summary.failed() > 0 ? ExitCode::members_failed : ExitCode::ok;
}

}  // namespace

Command add_merge_command(const CommandWords& app) {
  const CommandWords words = app.add_command("merge", "Join the parts of a run that --shard divided");
  const auto request = std::make_shared<MergeRequest>();
  words.add_option("FILE", request->files, "The files of all shards, in any order").type_name("...").required();
  words.add_option("-o,--output", request->output, "Write this netCDF file (.nc)").type_name("FILE").required();
  words.add_flag("--restart", request->restarts, "Write it where an unfinished run is in the way");
  words.add_flag("--quiet", request->quiet, "Print nothing but errors");
  words.footer(
      "What comes out holds the bits of an undivided run, statistics too.\n"
      "Example:\n"
      "  kalaba run sweep.toml --shard 1/2 -o sweep.nc\n"
      "  kalaba run sweep.toml --shard 2/2 -o sweep.nc\n"
      "  kalaba merge sweep.1-of-2.nc sweep.2-of-2.nc -o sweep.nc");
  return {words, [request] { return merge(*request); }};
}

}  // namespace kalaba
