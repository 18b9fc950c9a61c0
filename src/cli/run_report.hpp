#pragma once

#include <string>
#include <vector>

#include "cli/run_task.hpp"

namespace kalaba {

/// What a run came to.
struct RunOutcome {
  Summary summary;
  std::vector<std::string> files;  ///< where the output is, that of trajectories first
  bool can_resume = false;
};

ExitCode exit_code(const Summary& summary);

/// To the standard error: how many members failed, where some did. All that a quiet command says of what it wrote.
void report_failures(const Summary& summary);

/// To the standard output: a line under the heading of a summary.
void print_line(const std::string& title, const std::string& text);

/// To the standard output, for people.
void print_summary(const RunTask& task, const RunOutcome& outcome);
/// What it came to as one JSON object, without members where nothing tells. `picture`: what was drawn; "" for nothing.
std::string summary_json(const RunTask& task, const RunOutcome& outcome, const std::string& picture);
/// To the standard output, that object.
void print_summary_json(const RunTask& task, const RunOutcome& outcome, const std::string& picture);

}  // namespace kalaba
