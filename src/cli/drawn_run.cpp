#include "cli/drawn_run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/integrate.hpp"

namespace kalaba {

namespace fs = std::filesystem;

DrawnRun::DrawnRun(const std::string& file, Tables tables) : file_(file), data_(file) {
  if (tables == Tables::imported && file.ends_with(".csv")) {
    data_ = temporary(".nc");
    tables_ = import_csv(file, data_);
  }
  if (!file.ends_with(".toml")) return;
  RunWords words;
  words.scenario = file;
  words.dry_run = true;  // the scenario's own output is not changed
  RunTask task = prepare_run(words);
  task.scenario.options.trajectories = true;
  data_ = temporary(".nc");
  task.scenario.output_file = data_;
  task.replaced.clear();
  task.lock = std::make_unique<RunLock>(data_);
  for (const std::string& note : task.scenario.notes) std::fputs((note + "\n").c_str(), stderr);
  const Summary summary = integrate(task, false).summary;
  report_failures(summary);
  if (summary.interrupted) throw Error(exit_code(summary), file + ": interrupted, nothing was drawn");
}

std::string DrawnRun::temporary(const std::string& ending) {
  const std::string& folder = folder_.emplace().path();
  if (folder.empty()) {
    throw Error(ExitCode::file_error, "no temporary folder can be made to run in (TMPDIR names another place)");
  }
  return (fs::path(folder) / fs::path(file_).filename().replace_extension(ending)).string();
}

std::string DrawnRun::beside(const std::string& output, const std::string& ending) const {
  if (!output.empty() || !folder_) return output;
  return fs::path(file_).replace_extension(ending).string();
}

}  // namespace kalaba
