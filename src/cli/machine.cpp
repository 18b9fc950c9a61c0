#include "cli/machine.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>

namespace kalaba {
namespace {

/// "" where the system does not name it.
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

}  // namespace kalaba
