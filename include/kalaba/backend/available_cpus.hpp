#pragma once

#include <string>

namespace kalaba {

/// Returns how many CPUs this process may use: those of its affinity mask (taskset, a batch system, a container), at
/// most the CPU quota of its control groups, rounded up; at least 1.
int available_cpus();

/// Returns the CPU quota of this process, in CPUs, as the control groups (version 1 or 2) below the folder `root` state
/// it: the least of its own group's and those of the groups around it; infinity where there is none.
double cpu_quota(const std::string& root = "");

}  // namespace kalaba
