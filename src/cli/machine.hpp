#pragma once

#include <string>

namespace kalaba {

/// What computes here, as far as the system tells: "Intel(R) Xeon(R) Gold 6248, Linux 6.1.0 x86_64". No host name.
std::string machine_text();

/// " (the process is limited to 200 MB, see ulimit -v)"; "" where nothing limits it.
std::string memory_limit_text();

}  // namespace kalaba
