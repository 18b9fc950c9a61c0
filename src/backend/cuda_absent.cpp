#include "backend/backends.hpp"
#include "kalaba/error.hpp"

namespace kalaba {

bool cuda_available() { return false; }

std::string cuda_unavailable_reason() {
  return "this build has no CUDA backend (it is in development; the core it will run compiles for CUDA today)";
}

std::unique_ptr<Runner> make_cuda_runner(const System& /*system*/, const Options& /*options*/) {
  throw Error(ExitCode::no_backend,
              "backend \"cuda\": " + cuda_unavailable_reason() + "; use \"auto\", \"cpu\" or \"reference\"");
}

std::string cuda_device_text() { return "none"; }

}  // namespace kalaba
