#include "cli/run_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "backend/pack_mathematics.hpp"
#include "cli/build_info.hpp"
#include "cli/machine.hpp"
#include "kalaba/core/base/moments.hpp"
#include "output/durable/pending_file.hpp"
#include "output/netcdf/finished.hpp"
#include "output/netcdf/netcdf_outcome.hpp"
#include "output/outputs.hpp"
#include "report/text/text.hpp"
#include "scenario/document/text_difference.hpp"
#include "scenario/sampling/design_facts.hpp"
#include "scenario/shard.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Returns true if a killed process has published the output without removing the checkpoint.
bool was_published(const std::string& path) {
  if (is_file(partial_path(path)) || !is_file(path)) return false;
  std::error_code ignored;
  return fs::last_write_time(path, ignored) >= fs::last_write_time(checkpoint_path(path), ignored);
}

std::string build_text(const std::string& version, const std::string& commit) {
  return fmt::format("{} (commit {})", version, commit);
}

/// Restores the partial file if a process was killed between publishing this file and publishing the file that names
/// the run: the run then continues as an unfinished one.
bool take_back(const std::string& output, const std::string& path) {
  std::error_code ignored;
  if (!is_file(output) || fs::last_write_time(output, ignored) < fs::last_write_time(checkpoint_path(path), ignored))
    return false;
  std::error_code failure;
  fs::rename(output, partial_path(output), failure);
  return !failure;
}

/// Throws if a checkpoint exists without the data that it continues.
void check_data(const std::string& path, const Checkpoint& checkpoint, const Options& options) {
  for (const std::string& output : output_paths(path, options)) {
    if (!checkpoint.has_progress() || is_file(partial_path(output))) continue;
    if (output != path && take_back(output, path)) continue;
    throw Error(ExitCode::file_error,
                fmt::format("{}: its unfinished run cannot be continued: {} exists, but {} does not; --restart begins "
                            "anew",
                            path, checkpoint_path(path), partial_path(output)));
  }
}

/// Throws if the checkpoint belongs to another run.
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

Scenario load(const RunWords& words, const std::vector<std::string>& overrides) {
  if (!words.text.empty()) return load_given_scenario(words.text, words.scenario, words.arrays);
  return load_scenario(words.scenario, overrides);
}

Scenario read_scenario(const RunWords& words, const std::string& path, const std::optional<Checkpoint>& checkpoint) {
  if (!words.scenario.empty()) return load(words, words.overrides);
  return load_scenario_text(checkpoint.value().provenance.scenario, path, words.overrides);
}

Provenance provenance_of(const Scenario& scenario, const std::string& shard) {
  const std::string compiler = fmt::format("{}, {}, -march={}, {}", build_info.compiler, build_info.build_type,
                                           build_info.arch, pack_level().name);
  const DesignFacts facts = design_facts(scenario.text);
  return {scenario.text,   scenario.seed, build_info.version,  build_info.commit, compiler,      machine_text(),
          scenario.inputs, shard,         facts.varied_starts, facts.grid,        facts.saltelli};
}

/// Throws if the complete output belongs to a run other than the requested one.
void check_complete(const RunWords& words, const std::string& path, const NetcdfFile& file) {
  if (words.scenario.empty() && words.overrides.empty()) return;
  const std::string before = file.texts("scenario").front();
  const Scenario now =
      words.scenario.empty() ? load_scenario_text(before, path, words.overrides) : load(words, words.overrides);
  std::string difference = text_difference(before, now.text);
  if (difference.empty() && file.attribute(NC_GLOBAL, "input_fingerprint") != fmt::format("{:x}", now.inputs)) {
    difference = "it read other numbers beside its scenario, or does not state them";
  }
  if (difference.empty()) return;
  throw Error(
      ExitCode::bad_input,
      fmt::format("{}: is complete, and of another run: {}; without --resume it is written anew", path, difference));
}

/// Reads the run of a complete output. A CSV file does not contain the summary.
void take_complete(RunTask& task, const RunWords& words, const std::string& path) {
  if (fs::path(path).extension() == ".nc") {
    const NetcdfFile file = NetcdfFile::open(path);
    require_finished(file, path);
    check_complete(words, path, file);
    task.scenario = load_run_text(file.texts("scenario").front(), path);
    if (!file.attribute(NC_GLOBAL, "first_member").empty()) {
      task.part.first = static_cast<long>(file.number("first_member"));
    }
    task.part.before = read_summary(file);
    task.part.before.compute_seconds = std::numeric_limits<double>::quiet_NaN();  // not stored in files
  }
  task.scenario.output_file = path;
  task.is_complete = true;
}

/// Throws if the run would overwrite a file that it reads.
void check_inputs(const Scenario& scenario) {
  for (const std::string& output : output_paths(scenario.output_file, scenario.options)) {
    for (const std::string& written : {output, partial_path(output)}) {
      refuse_to_overwrite(scenario.input_files, written, "run");
    }
  }
}

/// Adds a note if a shard has more or less work than the others.
void note_load(RunTask& task, const std::string& shard) {
  const long even = task.scenario.members / parse_shard(shard).count;
  const long members = task.part.members;
  if (10 * std::abs(members - even) <= even) return;
  task.scenario.notes.push_back(
      fmt::format("shard {} has {} members, where even parts would have {}: statistics are merged in whole {} members",
                  shard, grouped(members), grouped(even), grouped(leaf_members)));
}

constexpr std::string_view member_mark = "member ";  // of a part that is one member

/// `part`: "2/4", "member 312" or "".
void take_part(RunTask& task, const std::string& part) {
  task.provenance = provenance_of(task.scenario, part);
  if (part.starts_with(member_mark)) {
    task.scenario.options.statistics = {};  // statistics of a single member are meaningless
    task.scenario.options.trajectories = true;
    task.part = {std::stol(part.substr(member_mark.size())), 1, {}};
  } else if (!part.empty()) {
    task.part = part_of(parse_shard(part), task.scenario);
    note_load(task, part);
  }
}

/// Returns the overrides; a run of one member saves every step, regardless of other settings.
std::vector<std::string> overrides_of(const RunWords& words) {
  std::vector<std::string> overrides = words.overrides;
  if (words.member < 0) return overrides;
  std::erase_if(overrides, [](const std::string& each) { return each.starts_with("time.save_"); });
  overrides.emplace_back("time.save_every=1");
  return overrides;
}

/// "sweep.nc" becomes "sweep.member-312.nc", so that the ensemble's file is kept; a name that already has this form is
/// unchanged.
std::string member_path(const std::string& path, long member) {
  const fs::path whole(path);
  const std::string infix = fmt::format(".member-{}", member);
  if (whole.stem().string().ends_with(infix)) return path;
  const std::string name = whole.stem().string() + infix + whole.extension().string();
  return (whole.parent_path() / name).string();
}

/// Sets the output's name for one member; returns the name of the part.
std::string name_member(Scenario& scenario, const RunWords& words) {
  if (words.member >= scenario.members) {
    throw Error(ExitCode::bad_input, fmt::format("--member: expected one of the {} members, 0 to {}, found {}",
                                                 grouped(scenario.members), scenario.members - 1, words.member));
  }
  if (scenario.output_file.empty()) {
    throw Error(ExitCode::bad_input, "--member: expected an output to save it in; name one with -o FILE");
  }
  scenario.output_file = member_path(scenario.output_file, words.member);
  return fmt::format("{}{}", member_mark, words.member);
}

/// Records the files that will be overwritten, or throws.
void check_replaced(RunTask& task, bool no_clobber) {
  for (const std::string& output : output_paths(task.scenario.output_file, task.scenario.options)) {
    std::error_code ignored;
    if (!fs::exists(output, ignored)) continue;
    if (no_clobber) throw Error(ExitCode::file_error, output + ": is there already, and --no-clobber leaves it");
    task.replaced.push_back(output);
  }
}

/// Returns the file of the requested shard. Throws Error if the environment determines the number of parts, and a part
/// of a division into another number exists beside it.
std::string path_of_shard(const RunWords& words, const std::string& path) {
  const Shard shard = parse_shard(words.shard);
  const std::string other = words.checks_other_parts ? other_division(path, shard) : "";
  if (other.empty()) return shard_path(path, shard);
  throw Error(
      ExitCode::bad_input,
      fmt::format("--shard auto: this would be part {} of {}, and {} is of another division; --shard auto/N states "
                  "how many parts there are",
                  shard.number, shard.count, other));
}

RunTask prepare_resumed(const RunWords& words) {
  std::string path = final_path(words.resumed);
  if (!words.shard.empty()) path = path_of_shard(words, path);
  path = followed(path);
  RunTask task;
  task.lock = std::make_unique<RunLock>(path);
  if (is_file(checkpoint_path(path)) && was_published(path)) fs::remove(checkpoint_path(path));
  task.checkpoint = read_checkpoint(path);
  task.no_clobber = words.no_clobber;
  if (!task.checkpoint && is_file(path)) {
    take_complete(task, words, path);
    return task;
  }
  if (!task.checkpoint && words.scenario.empty()) {
    throw Error(ExitCode::file_error,
                fmt::format("{}: it has no unfinished run (no {}); kalaba run SCENARIO --resume {} begins "
                            "one where there is none",
                            path, checkpoint_path(path), path));
  }
  task.scenario = read_scenario(words, checkpoint_path(path), task.checkpoint);
  task.scenario.output_file = path;
  check_inputs(task.scenario);
  take_part(task, words.shard.empty() && task.checkpoint ? task.checkpoint->provenance.shard : words.shard);
  if (task.checkpoint) {
    check_same(path, task.checkpoint->provenance, task.provenance);
    check_data(path, *task.checkpoint, task.scenario.options);
    task.scenario.options.backend = task.checkpoint->backend;
    task.part.before = task.checkpoint->summary;
  }
  return task;
}

}  // namespace

void check_unfinished(const std::string& path, bool restarts) {
  if (restarts) return;
  const std::optional<Checkpoint> there = read_checkpoint(path);
  if (!there || !there->has_progress() || was_published(path)) return;
  check_data(path, *there, load_run_text(there->provenance.scenario, checkpoint_path(path)).options);
  throw Error(ExitCode::file_error,
              fmt::format("{}: it has an unfinished run, {} of {} members done{}: --resume {} continues it, "
                          "--restart begins anew",
                          path, grouped(there->summary.finished_members), grouped(there->summary.members),
                          there->block_checkpoint
                              ? fmt::format(", and {} steps of the next {}", grouped(there->block_checkpoint->step),
                                            grouped(there->block_checkpoint->members))
                              : "",
                          path));
}

RunTask prepare_run(const RunWords& words) {
  if (!words.resumed.empty()) return prepare_resumed(words);
  if (words.scenario.empty()) {
    throw Error(ExitCode::bad_input, "SCENARIO is required: a scenario file (.toml) or the name of a system");
  }
  RunTask task;
  task.scenario = load(words, overrides_of(words));
  std::string& path = task.scenario.output_file;
  std::string part = words.shard;
  if (words.member >= 0) part = name_member(task.scenario, words);
  if (!words.shard.empty() && !words.in_memory) {
    if (path.empty())
      throw Error(ExitCode::bad_input, "--shard: expected an output to merge; name one with -o FILE.nc");
    path = path_of_shard(words, path);
  }
  take_part(task, part);
  if (path.empty()) return task;
  check_inputs(task.scenario);
  path = followed(path);
  task.no_clobber = words.no_clobber;
  check_replaced(task, words.no_clobber);
  if (words.dry_run) return task;
  task.lock = std::make_unique<RunLock>(path);
  check_unfinished(path, words.restarts);
  return task;
}

}  // namespace kalaba
