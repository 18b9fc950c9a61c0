#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kalaba/error.hpp"

namespace kalaba {

/// Executes the work; an exception is printed on stderr and converted to its exit code. Never throws.
ExitCode guarded(const std::function<ExitCode()>& work);

/// Calls work(1) … work(count), each in a separate child process, and returns their exit codes. A child prints its own
/// errors. SIGINT, SIGTERM and SIGHUP are forwarded; a child that a signal ended has the code internal_error. Must be
/// called before this process starts threads. Throws Error if a process cannot be started.
std::vector<ExitCode> run_in_processes(long count, const std::function<ExitCode(long)>& work);

}  // namespace kalaba
