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

namespace kalaba {
namespace {

/// One of `count`, from 0.
struct Place {
  long index = 0;
  long count = 1;
};

std::optional<long> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  long number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) {
    throw Error(ExitCode::bad_input,
                fmt::format("--shard auto: {}: expected a whole number, found '{}'", variable, text));
  }
  return number;
}

std::optional<Place> place_in_array() {
  const auto id = number_in("SLURM_ARRAY_TASK_ID");
  const auto count = number_in("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  return Place{*id - number_in("SLURM_ARRAY_TASK_MIN").value_or(1), *count};
}

/// The batch script itself is no step: what it says of its tasks is of those that srun will start.
std::optional<Place> place_among_ranks() {
  constexpr const char* known[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                      {"PMI_RANK", "PMI_SIZE"},
                                      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank, size] : known) {
    const auto index = number_in(rank);
    const auto count = number_in(size);
    if (index && count) return Place{*index, *count};
  }
  return std::nullopt;
}

/// Hours, minutes and seconds, which every scheduler reads alike, and more than none.
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

/// A line of the scheduler's own in a batch script.
std::string directive(const ClusterJob& job, const std::string& option) {
  return fmt::format("#{} {}\n", job.scheduler == Scheduler::slurm ? "SBATCH" : "PBS", option);
}

/// Of the job: the output's, in letters that every scheduler takes.
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

/// Members that fail are no failure of the job.
std::string guarded(const ClusterJob& job, const std::string& command) {
  const std::string folder = job.scheduler == Scheduler::pbs ? "cd -- \"$PBS_O_WORKDIR\"\n" : "";
  return folder + command +
         "\ncode=$?\n[ $code -eq 1 ] && exit 0  # some members failed; the file says which\nexit $code\n";
}

}  // namespace

std::string assigned_shard() {
  const auto array = place_in_array();
  const auto ranks = place_among_ranks();
  if (!array && !ranks) {
    throw Error(ExitCode::bad_input,
                "--shard auto: expected to be started by srun, mpirun or an array of Slurm's (SLURM_ARRAY_TASK_ID, "
                "OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID), found none; --shard i/N says it");
  }
  const Place outer = array.value_or(Place());
  const Place inner = ranks.value_or(Place());
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
