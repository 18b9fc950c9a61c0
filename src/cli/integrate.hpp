#pragma once

#include "cli/run_report.hpp"
#include "cli/run_task.hpp"

namespace kalaba {

/// Runs a task and writes its output, if it has one; signals stop it between steps. `quiet`: without a progress bar and
/// notes. Throws Error.
RunOutcome integrate(RunTask& task, bool quiet);

}  // namespace kalaba
