#pragma once

#include <string>

namespace kalaba {

/// Processor and system of this machine, as far as the system reports them: "Intel(R) Xeon(R) Gold 6248, Linux 6.1.0
/// x86_64". Without the host name.
std::string machine_text();

/// " (the process is limited to 200 MB, see ulimit -v)"; "" if there is no limit.
std::string memory_limit_text();

}  // namespace kalaba
