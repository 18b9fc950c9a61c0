#include "cli/cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kalaba/error.hpp"
#include "scenario/shard.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

/// An index in a division, from 0.
struct Place {
  long index = 0;
  long count = 1;
};

/// Environment variables in which a scheduler numbers the tasks of an array; nullptr if it sets none.
struct ArrayVariables {
  const char* scheduler;
  const char* id;
  const char* count;
  const char* first;
  const char* last;
};

constexpr ArrayVariables known_arrays[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"},
    {"Grid Engine", "SGE_TASK_ID", nullptr, "SGE_TASK_FIRST", "SGE_TASK_LAST"},
    {"PBS", "PBS_ARRAY_INDEX", nullptr, nullptr, nullptr},
    {"LSF", "LSB_JOBINDEX", nullptr, nullptr, nullptr}};

/// A task of an array.
struct ArrayTask {
  const ArrayVariables* variables = nullptr;
  long id = 0;
};

[[noreturn]] void refuse(const std::string& message) { throw Error(ExitCode::bad_input, "--shard auto: " + message); }

std::optional<long> number_in(const char* variable) {
  const char* const text = variable == nullptr ? nullptr : std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::optional<long> number = parse_number<long>(text);
  constexpr long most = 1'000'000'000;
  if (!number || *number < 0 || *number > most) {
    refuse(fmt::format("{}: expected a whole number, found '{}'", variable, text));
  }
  return number;
}

/// Returns true if the variable has a value that its scheduler sets only for tasks of an array.
bool is_of_array(const ArrayVariables& variables) {
  const char* const id = std::getenv(variables.id);
  if (id == nullptr) return false;
  const std::string_view text = id;
  const std::string_view scheduler = variables.scheduler;
  return !(scheduler == "Grid Engine" && text == "undefined") && !(scheduler == "LSF" && text == "0");
}

std::optional<ArrayTask> task_of_array() {
  for (const ArrayVariables& each : known_arrays) {
    if (is_of_array(each)) return ArrayTask{&each, number_in(each.id).value_or(0)};
  }
  return std::nullopt;
}

/// Returns the place of a task in an array whose size its scheduler states. An array that was submitted again for some
/// of its tasks has another size and other bounds, which do not determine the parts: only an array from 0 or 1 on
/// without gaps is accepted.
Place place_in(const ArrayTask& task) {
  const ArrayVariables& variables = *task.variables;
  const auto first = number_in(variables.first);
  const auto last = number_in(variables.last);
  if (!first || !last) {
    refuse(fmt::format(
        "{} does not state the bounds of its array ({} = {}); --shard auto/N states how many parts there are",
        variables.scheduler, variables.id, task.id));
  }
  const long count = number_in(variables.count).value_or(*last - *first + 1);
  if (*first > 1 || *last - *first + 1 != count || task.id < *first || task.id > *last) {
    refuse(
        fmt::format("expected an array of {} from 0 or 1 on without gaps, found {} task{} from {} to {}; of an array "
                    "that is submitted again in part, --shard auto/N states how many parts there are",
                    variables.scheduler, count, count == 1 ? "" : "s", *first, *last));
  }
  return {task.id - *first, count};
}

/// The batch script itself is not a step: its variables describe the tasks that srun will start.
std::optional<Place> place_among_ranks() {
  constexpr const char* known[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                      {"PMI_RANK", "PMI_SIZE"},
                                      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank, size] : known) {
    const auto index = number_in(rank);
    const auto count = number_in(size);
    if (!index || !count) continue;
    if (*index >= *count) refuse(fmt::format("expected {} < {}, found {} and {}", rank, size, *index, *count));
    return Place{*index, *count};
  }
  return std::nullopt;
}

/// Returns the number of parts in "auto/4".
long parts_of(const std::string& shard) {
  const auto parts = parse_number<long>(std::string_view(shard).substr(std::string_view("auto/").size()));
  if (parts && *parts >= 1 && *parts <= most_shards) return *parts;
  throw Error(ExitCode::bad_input,
              fmt::format("--shard: expected i/N, auto or auto/N with N from 1 to {}, found '{}'", most_shards, shard));
}

/// Place of a task in a division into `parts` parts, if each of its ranks integrates one: task i, from 1 on, has the
/// i-th group of parts, whichever tasks of its array were submitted with it.
Place place_in_division(long parts, const std::optional<ArrayTask>& task, long ranks) {
  const long tasks = parts / ranks;
  if (!task && parts != ranks) refuse(fmt::format("expected as many parts as ranks, found {} and {}", parts, ranks));
  if (parts % ranks != 0) {
    refuse(fmt::format("expected a multiple of the {} ranks of each task, found {} parts", ranks, parts));
  }
  if (!task) return {0, 1};
  const auto first = number_in(task->variables->first);
  if (task->id < 1 || task->id > tasks || (first && *first < 1)) {
    refuse(fmt::format("expected an array of tasks from 1 to {}, as task i has part i, found {} = {}{}", tasks,
                       task->variables->id, task->id,
                       first && task->id >= 1 && *first < 1 ? fmt::format(" of an array from {} on", *first) : ""));
  }
  return {task->id - 1, tasks};
}

/// Returns true for hours, minutes and seconds, the format that every scheduler accepts, with a time above zero.
bool is_clock(const std::string& text) {
  constexpr std::string_view form = ":59:59";
  if (text.size() <= form.size() || text.find_first_not_of("0:") == std::string::npos) return false;
  const std::size_t hours = text.size() - form.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char most = i < hours ? '9' : form[i - hours];
    if (most == ':' ? text[i] != ':' : text[i] < '0' || text[i] > most) return false;
  }
  return true;
}

/// A scheduler directive of a batch script.
std::string directive(const ClusterJob& job, const std::string& option) {
  return fmt::format("#{} {}\n", job.scheduler == Scheduler::slurm ? "SBATCH" : "PBS", option);
}

/// Name of the job: that of the output, with characters that every scheduler accepts.
std::string name_of(const ClusterJob& job) {
  std::string name = std::filesystem::path(job.output).stem().string();
  const auto is_plain = [](unsigned char each) {
    return std::isalnum(each) != 0 || each == '-' || each == '_' || each == '.';
  };
  std::ranges::replace_if(
      name, [&](unsigned char each) { return !is_plain(each); }, '_');
  return name;
}

std::string head(const ClusterJob& job, const std::string& name) {
  const bool is_slurm = job.scheduler == Scheduler::slurm;
  std::string text = "#!/bin/bash\n" + directive(job, (is_slurm ? "--job-name=" : "-N ") + name);
  if (!job.time.empty()) text += directive(job, (is_slurm ? "--time=" : "-l walltime=") + job.time);
  for (const std::string& each : job.options) text += directive(job, each);
  return text;
}

/// Failed members do not make the job fail.
std::string guarded(const ClusterJob& job, const std::string& command) {
  const std::string folder = job.scheduler == Scheduler::pbs ? "cd -- \"$PBS_O_WORKDIR\"\n" : "";
  return folder + command +
         "\ncode=$?\n[ $code -eq 1 ] && exit 0  # some members failed; the file lists them\nexit $code\n";
}

}  // namespace

bool is_assigned(const std::string& shard) { return shard == "auto" || shard.starts_with("auto/"); }

std::string assigned_shard(const std::string& shard) {
  const long parts = shard == "auto" ? 0 : parts_of(shard);
  const auto task = task_of_array();
  const auto ranks = place_among_ranks();
  if (!task && !ranks) {
    throw Error(
        ExitCode::bad_input,
        fmt::format("--shard {}: expected to be started by srun, mpirun or an array of Slurm, Grid Engine, PBS or "
                    "LSF (SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, ...), found none; "
                    "--shard i/N states it",
                    shard));
  }
  const Place inner = ranks.value_or(Place());
  Place outer;
  if (parts == 0 && task) outer = place_in(*task);
  if (parts > 0) outer = place_in_division(parts, task, inner.count);
  return fmt::format("{}/{}", outer.index * inner.count + inner.index + 1, outer.count * inner.count);
}

std::string array_script(const ClusterJob& job) {
  const bool is_slurm = job.scheduler == Scheduler::slurm;
  std::string text = head(job, name_of(job));
  text += directive(job, fmt::format("{}1-{}", is_slurm ? "--array=" : "-J ", job.shards));
  text += directive(job, is_slurm ? "--requeue" : "-r y");
  if (is_slurm) text += directive(job, "--output=" + name_of(job) + ".%a.log");
  std::vector<std::string> words = {job.program, "run"};
  for (const std::string& each : job.words) words.push_back(shell_word(each));
  return text + guarded(job, fmt::format("{} --shard ${}/{} --resume {} --quiet", fmt::join(words, " "),
                                         is_slurm ? "SLURM_ARRAY_TASK_ID" : "PBS_ARRAY_INDEX", job.shards,
                                         shell_word(job.output)));
}

std::string merge_script(const ClusterJob& job) {
  const std::filesystem::path whole(job.output);
  const std::string stem = (whole.parent_path() / whole.stem()).string();
  std::string text = head(job, name_of(job) + "-merge");
  if (job.scheduler == Scheduler::slurm) text += directive(job, "--output=" + name_of(job) + ".merge.log");
  return text + guarded(job, fmt::format("{} merge {}.*-of-{}.nc -o {}", job.program, shell_word(stem), job.shards,
                                         shell_word(job.output)));
}

std::string time_limit(const std::string& text) {
  if (text.empty() || is_clock(text)) return text;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const double seconds = unit == "d" ? 86400 : unit == "h" ? 3600 : unit == "m" ? 60 : unit == "s" ? 1 : 0;
  if (error != std::errc() || seconds == 0 || !(number * seconds >= 1) || number * seconds > 1e9) {
    throw Error(ExitCode::bad_input, fmt::format("--time: expected 90m, 1.5h, 2d or 1:30:00, found '{}'", text));
  }
  const auto all = static_cast<long>(number * seconds);
  return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char each : word) quoted += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return quoted + "'";
}

}  // namespace kalaba
