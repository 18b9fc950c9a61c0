#include "cli/run_task.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/build_info.hpp"
#include "cli/machine.hpp"
#include "output/archive.hpp"
#include "output/outputs.hpp"
#include "output/pending_file.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"
#include "scenario/shard.hpp"
#include "scenario/text_difference.hpp"
#include "scenario/varied_starts.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// A killed process may have published the output and not yet removed the checkpoint.
bool was_published(const std::string& path) {
  if (is_file(partial_path(path)) || !is_file(path)) return false;
  std::error_code ignored;
  return fs::last_write_time(path, ignored) >= fs::last_write_time(checkpoint_path(path), ignored);
}

/// The name that the whole output will have, of that or of the unfinished file.
std::string final_path(const std::string& path) {
  const fs::path given(path);
  constexpr std::string_view mark = ".partial";
  std::string stem = given.stem().string();
  if (stem.size() <= mark.size() || !stem.ends_with(mark)) return path;
  stem.resize(stem.size() - mark.size());
  return (given.parent_path() / (stem + given.extension().string())).string();
}

std::string build_text(const std::string& version, const std::string& commit) {
  return fmt::format("{} (commit {})", version, commit);
}

/// Throws where the run of the checkpoint is another one.
void check_same(const std::string& path, const Provenance& before, const Provenance& now) {
  const auto refuse = [&](const std::string& difference) {
    throw Error(ExitCode::bad_input, fmt::format("{}: cannot be resumed as another run: {}", path, difference));
  };
  if (before.version != now.version || before.commit != now.commit) {
    refuse(fmt::format("it was begun by kalaba {}, this is {}", build_text(before.version, before.commit),
                       build_text(now.version, now.commit)));
  }
  if (before.compiler != now.compiler) {
    refuse(fmt::format("it was begun by a build of {}, this is one of {}", before.compiler, now.compiler));
  }
  const std::string difference = text_difference(before.scenario, now.scenario);
  if (!difference.empty()) refuse(difference);
  if (before.inputs != now.inputs) refuse("the numbers in the files that the scenario reads have changed");
  if (before.shard != now.shard) {
    const auto shown = [](const std::string& shard) { return shard.empty() ? "the whole ensemble" : "shard " + shard; };
    refuse(fmt::format("it was {}, is now {}", shown(before.shard), shown(now.shard)));
  }
}

Scenario read_scenario(const RunWords& words, const std::string& path, const std::optional<Checkpoint>& checkpoint) {
  if (!words.scenario.empty()) return load_scenario(words.scenario, words.overrides);
  return load_scenario_text(checkpoint.value().provenance.scenario, path, words.overrides);
}

Provenance provenance_of(const Scenario& scenario, const std::string& shard) {
  const std::string compiler =
      fmt::format("{}, {}, -march={}", build_info.compiler, build_info.build_type, build_info.arch);
  return {scenario.text,   scenario.seed, build_info.version,          build_info.commit, compiler, machine_text(),
          scenario.inputs, shard,         varied_starts(scenario.text)};
}

/// Throws where the output that is complete is of another run than is asked for. A CSV file does not tell.
void check_complete(const RunWords& words, const std::string& path) {
  if (fs::path(path).extension() != ".nc") return;
  const std::string before = Archive(path).inventory().attribute("scenario");
  if (words.scenario.empty() && words.overrides.empty()) return;
  const Scenario now = words.scenario.empty() ? load_scenario_text(before, path, words.overrides)
                                              : load_scenario(words.scenario, words.overrides);
  const std::string difference = text_difference(before, now.text);
  if (difference.empty()) return;
  throw Error(
      ExitCode::bad_input,
      fmt::format("{}: is complete, and of another run: {}; without --resume it is written anew", path, difference));
}

/// Throws where the run would write over a file that it reads.
void check_inputs(const Scenario& scenario) {
  for (const std::string& output : output_paths(scenario.output_file, scenario.options)) {
    for (const std::string& written : {output, partial_path(output)}) {
      for (const InputFile& input : scenario.input_files) {
        std::error_code ignored;  // of an output that there is not yet
        if (!fs::equivalent(input.path, written, ignored)) continue;
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: expected a file that the run does not write, found {}", input.where, written));
      }
    }
  }
}

void take_part(RunTask& task, const std::string& shard) {
  task.provenance = provenance_of(task.scenario, shard);
  if (!shard.empty()) task.part = part_of(parse_shard(shard), task.scenario);
}

RunTask prepare_resumed(const RunWords& words) {
  std::string path = final_path(words.resumed);
  if (!words.shard.empty()) path = shard_path(path, parse_shard(words.shard));
  RunTask task;
  task.lock = std::make_unique<RunLock>(path);
  if (is_file(checkpoint_path(path)) && was_published(path)) fs::remove(checkpoint_path(path));
  task.checkpoint = read_checkpoint(path);
  if (!task.checkpoint && is_file(path)) {
    check_complete(words, path);
    task.scenario.output_file = path;
    task.is_complete = true;
    return task;
  }
  if (!task.checkpoint && words.scenario.empty()) {
    throw Error(ExitCode::file_error,
                fmt::format("{}: there is no unfinished run of it here (no {}); kalaba run SCENARIO --resume {} begins "
                            "one where there is none",
                            path, checkpoint_path(path), path));
  }
  task.scenario = read_scenario(words, checkpoint_path(path), task.checkpoint);
  task.scenario.output_file = path;
  check_inputs(task.scenario);
  take_part(task, words.shard.empty() && task.checkpoint ? task.checkpoint->provenance.shard : words.shard);
  if (task.checkpoint) {
    check_same(path, task.checkpoint->provenance, task.provenance);
    task.scenario.options.backend = task.checkpoint->backend;
    task.part.before = task.checkpoint->summary;
  }
  return task;
}

}  // namespace

void report_failures(const Summary& summary) {
  if (summary.failed() > 0) std::fputs(("kalaba: " + failure_text(summary) + "\n").c_str(), stderr);
}

void check_unfinished(const std::string& path, bool restarts) {
  if (restarts) return;
  const std::optional<Checkpoint> there = read_checkpoint(path);
  if (!there || !there->has_progress() || was_published(path)) return;
  throw Error(
      ExitCode::file_error,
      fmt::format("{}: an unfinished run of it is here, {} of {} members done{}: --resume {} goes on with it, "
                  "--restart begins anew",
                  path, grouped(there->summary.finished_members), grouped(there->summary.members),
                  there->midway ? fmt::format(" and {} steps of the next", grouped(there->midway->step)) : "", path));
}

RunTask prepare_run(const RunWords& words) {
  if (!words.resumed.empty()) return prepare_resumed(words);
  if (words.scenario.empty()) {
    throw Error(ExitCode::bad_input, "SCENARIO is required: a scenario file (.toml) or the name of a system");
  }
  RunTask task;
  task.scenario = load_scenario(words.scenario, words.overrides);
  std::string& path = task.scenario.output_file;
  if (!words.shard.empty()) {
    if (path.empty())
      throw Error(ExitCode::bad_input, "--shard: expected an output to merge; name one with -o FILE.nc");
    path = shard_path(path, parse_shard(words.shard));
  }
  take_part(task, words.shard);
  if (path.empty()) return task;
  check_inputs(task.scenario);
  task.lock = std::make_unique<RunLock>(path);
  check_unfinished(path, words.restarts);
  return task;
}

}  // namespace kalaba
