#include "cli/drawn_run.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/integrate.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
  std::string pattern = (fs::temp_directory_path() / "kalaba-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw Error(ExitCode::file_error, fmt::format("{}: cannot be made: {}", pattern, std::strerror(errno)));
  }
  return pattern;
}

}  // namespace

DrawnRun::DrawnRun(const std::string& file) : file_(file), data_(file) {
  if (!file.ends_with(".toml")) return;
  RunWords words;
  words.scenario = file;
  words.dry_run = true;  // the scenario's own output stays as it is
  RunTask task = prepare_run(words);
  task.scenario.options.trajectories = true;
  folder_ = new_folder();
  data_ = (folder_ / fs::path(file).filename().replace_extension(".nc")).string();
  task.scenario.output_file = data_;
  task.replaced.clear();
  task.lock = std::make_unique<RunLock>(data_);
  for (const std::string& note : task.scenario.notes) std::fputs((note + "\n").c_str(), stderr);
  const Summary summary = integrate(task, false).summary;
  report_failures(summary);
  if (summary.interrupted) throw Error(exit_code(summary), file + ": interrupted, nothing was drawn");
}

DrawnRun::~DrawnRun() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::string DrawnRun::beside(const std::string& output, const std::string& ending) const {
  if (!output.empty() || folder_.empty()) return output;
  return fs::path(file_).replace_extension(ending).string();
}

}  // namespace kalaba
