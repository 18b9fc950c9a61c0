#include <cstdio>

#include "backend/backends.hpp"
#include "cli/command.hpp"

namespace kalaba {
namespace {

ExitCode devices() {
  constexpr int every_core = 0;
  const std::string cuda = cuda_available() ? cuda_device_text() : "cuda: not here: " + cuda_unavailable_reason();
  for (const std::string& device : {cpu_device_text(every_core), reference_device_text(every_core), cuda}) {
    std::fputs((device + "\n").c_str(), stdout);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_devices_command(CLI::App& app) {
  CLI::App* words = app.add_subcommand("devices", "Show the backends and what they run on");
  words->footer("Example:\n  kalaba devices");
  return {words, devices};
}

}  // namespace kalaba
