#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kalaba/error.hpp"

namespace kalaba {

/// Does the work; what it throws is told on stderr and becomes its exit code. Never throws.
ExitCode guarded(const std::function<ExitCode()>& work);

/// Calls work(1) … work(count), each in a process of its own, a child of this one, and returns their exit codes. What
/// a child throws it says itself. SIGINT, SIGTERM and SIGHUP are handed on; a child that a signal ended has the code
/// internal_error. Called before this process starts threads. Throws Error where a process cannot be started.
std::vector<ExitCode> run_in_processes(long count, const std::function<ExitCode(long)>& work);

}  // namespace kalaba
