#pragma once

#include "cli/run_task.hpp"

namespace kalaba {

/// Prints the expected cost of a run to the standard output (members, steps, bytes, memory, and the approximate time,
/// measured on some of its members), and writes no file.
void print_dry_run(const RunTask& task, bool as_json);

}  // namespace kalaba
