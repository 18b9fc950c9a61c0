#include "cli/machine.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <fstream>

#include "output/durable/disk_space.hpp"

namespace kalaba {
namespace {

/// Returns the processor's name; "" if the system does not report it.
std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

}  // namespace

std::string machine_text() {
  utsname system{};
  const std::string kernel =
      ::uname(&system) == 0 ? fmt::format("{} {} {}", system.sysname, system.release, system.machine) : "";
  const std::string name = processor();
  return name.empty() || kernel.empty() ? name + kernel : name + ", " + kernel;
}

std::string memory_limit_text() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return fmt::format(" (the process is limited to {}, see ulimit -v)", bytes_text(static_cast<double>(limit.rlim_cur)));
}

}  // namespace kalaba
