#include "provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>

#include "backend/backends.hpp"
#include "cli/build_info.hpp"

namespace kalaba::bench {
namespace {

/// Processor name from the kernel; "unknown processor" if it has none.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

Origin origin() {
  return {build_info.version, build_info.commit, build_info.compiler, compiler_flags,
          fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))};
}

std::string device_text(int threads) { return processor_name() + ", " + cpu_device_text(threads); }

}  // namespace kalaba::bench
