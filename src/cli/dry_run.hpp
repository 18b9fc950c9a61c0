#pragma once

#include "cli/run_task.hpp"

namespace kalaba {

/// To the standard output: what a run would take (members, steps, bytes, memory, and about how long, measured on some
/// of its members), and writes nothing.
void print_dry_run(const RunTask& task, bool as_json);

}  // namespace kalaba
