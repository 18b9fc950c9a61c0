#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "backend/compiled/process.hpp"
#include "cli/cluster.hpp"
#include "cli/command.hpp"
#include "cli/local_shards.hpp"
#include "output/durable/pending_file.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/shard.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

struct SubmitRequest {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string output;
  long shards = 0;
  std::string time;
  std::string scheduler;
  std::vector<std::string> options;
  bool dry_run = false;
};

Scheduler scheduler_of(const SubmitRequest& request) {
  if (request.scheduler.empty() || request.scheduler == "slurm") return Scheduler::slurm;
  if (request.scheduler == "pbs") return Scheduler::pbs;
  throw Error(ExitCode::bad_input, fmt::format("--scheduler: expected slurm or pbs, found '{}'{}", request.scheduler,
                                               suggestion(request.scheduler, {"slurm", "pbs"})));
}

/// Returns the command that starts this program on another machine; a host program (Python) sets its own.
std::string program() {
  const char* const said = std::getenv("KALABA_PROGRAM");
  return said != nullptr ? said : shell_word(fs::read_symlink("/proc/self/exe").string());
}

ClusterJob job_of(const SubmitRequest& request) {
  ClusterJob job;
  job.scheduler = scheduler_of(request);
  RunWords words;
  words.scenario = request.scenario;
  words.overrides = request.overrides;
  if (!request.output.empty()) words.overrides.push_back("output.file=" + toml_string(request.output));
  job.output = merged_output(words, request.shards);
  job.program = program();
  job.words.push_back(request.scenario);
  for (const std::string& each : request.overrides) job.words.insert(job.words.end(), {"-s", each});
  job.shards = request.shards;
  job.time = time_limit(request.time);
  job.options = request.options;
  return job;
}

std::string write_script(const std::string& path, const std::string& text) {
  PendingFile file(path);
  file.write(text);
  file.publish();
  return path;
}

/// Submits a script; returns the job's number.
std::string hand_over(const std::vector<std::string>& words) {
  constexpr double most_seconds = 60;
  const ProcessResult result = run_process(words, most_seconds);
  if (!result.succeeded) {
    throw Error(ExitCode::file_error, fmt::format("{} {}: {}; --dry-run shows the scripts, which any machine can run",
                                                  words.front(), result.failure, result.output));
  }
  return result.output.substr(0, result.output.find_first_of(";\n"));
}

ExitCode submit(const SubmitRequest& request) {
  const ClusterJob job = job_of(request);
  const std::string stem = job.output.substr(0, job.output.size() - 3);
  if (request.dry_run) {
    std::fputs(
        fmt::format("# {0}.array.sh\n{1}\n# {0}.merge.sh\n{2}", stem, array_script(job), merge_script(job)).c_str(),
        stdout);
    return ExitCode::ok;
  }
  const std::string array = write_script(stem + ".array.sh", array_script(job));
  const std::string merge = write_script(stem + ".merge.sh", merge_script(job));
  const bool is_slurm = job.scheduler == Scheduler::slurm;
  const std::string id = hand_over(is_slurm ? std::vector<std::string>{"sbatch", "--parsable", array}
                                            : std::vector<std::string>{"qsub", array});
  const std::string after = "afterok:" + id;
  hand_over(is_slurm ? std::vector<std::string>{"sbatch", "--parsable", "--dependency=" + after, merge}
                     : std::vector<std::string>{"qsub", "-W", "depend=" + after, merge});
  std::fputs(
      fmt::format("submitted {} of {} shards, and their merge to {} behind it\n", id, job.shards, job.output).c_str(),
      stdout);
  return ExitCode::ok;
}

}  // namespace

Command add_submit_command(const CommandWords& app) {
  const CommandWords words =
      app.add_command("submit", "Run a scenario on a cluster: an array of shards, and their merge");
  const auto request = std::make_shared<SubmitRequest>();
  words.add_option("SCENARIO", request->scenario, "A scenario or model (.toml), or the name of a system")
      .type_name("")
      .required();
  words.add_overrides(request->overrides);
  words.add_option("-o,--output", request->output, "What the shards are merged to (.nc)").type_name("FILE");
  words.add_option("--shards", request->shards, "How many").type_name("N").required();
  words.add_option("--time", request->time, "Limit of a job: 90m, 1.5h, 2d or 1:30:00").type_name("T");
  words.add_option("--scheduler", request->scheduler, "slurm (the default) or pbs").type_name("S");
  words
      .add_option("--option", request->options, "A line for the scheduler, e.g. --option=--partition=long (repeatable)")
      .type_name("OPTION");
  words.add_flag("--dry-run", request->dry_run, "Print the two scripts, write and submit nothing");
  words.footer(
      "A job that is killed is queued again and continues where it stopped.\n"
      "Example:\n"
      "  kalaba submit sweep.toml -o sweep.nc --shards 64 --time 1h --option=--cpus-per-task=16");
  return {words, [request] { return submit(*request); }};
}

}  // namespace kalaba
