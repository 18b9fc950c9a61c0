#pragma once

#include <string>

namespace kalaba {

/// Returns the number of CPUs that this process may use: those of its affinity mask (taskset, a batch system, a
/// container), at most the CPU quota of its control groups, rounded up; at least 1.
int available_cpus();

/// Returns the CPU quota of this process, in CPUs, from the control groups (version 1 or 2) below the folder `root`:
/// the smallest of its own group and all enclosing groups; infinity if there is none.
double cpu_quota(const std::string& root = "");

}  // namespace kalaba
