#pragma once

#include <string>
#include <vector>

#include "cli/run_task.hpp"

namespace kalaba {

/// Result of a run.
struct RunOutcome {
  Summary summary;
  std::vector<std::string> files;  ///< output files, that of trajectories first
  bool can_resume = false;
};

ExitCode exit_code(const Summary& summary);

/// Prints the number of failed members, if any, to the standard error. A quiet command prints nothing else about its
/// results.
void report_failures(const Summary& summary);

/// Prints a line of a summary with its heading to the standard output.
void print_line(const std::string& title, const std::string& text);

/// Prints the summary for people to the standard output.
void print_summary(const RunTask& task, const RunOutcome& outcome);
/// Returns the result as one JSON object, without keys for unknown values. `picture`: path of the drawing; "" if none.
std::string summary_json(const RunTask& task, const RunOutcome& outcome, const std::string& picture);

}  // namespace kalaba
