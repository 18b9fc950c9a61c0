#include "backend/backends.hpp"
#include "backend/cuda/compiler.hpp"
#include "backend/cuda/cuda_runner.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "backend/cuda/swarm_runner.hpp"
#include "kernels/statistics.hpp"

namespace kalaba {
namespace {

std::string problem() {
  if (const std::string& driver = cuda::driver_problem(); !driver.empty()) return driver;
  try {
    cuda::device_ordinals({});
  } catch (const Error& error) {
    return error.what();
  }
  return cuda::compiler_problem();
}

}  // namespace

bool cuda_available() { return cuda_unavailable_reason().empty(); }

std::string cuda_unavailable_reason() {
  static const std::string reason = problem();
  return reason;
}

std::string cuda_device_text() { return cuda::devices_text(); }

std::string cuda_statistics_text() {
  for (const int ordinal : cuda::device_ordinals({})) {
    cuda::held_device(ordinal)->make_current();
    if (const std::string problem = reduction_problem(); !problem.empty()) return "reduced on the host: " + problem;
  }
  return "reduced on the device";
}

ChosenBackend make_cuda_backend(const System& system, const Options& options) {
  if (!cuda_available()) {
    throw Error(ExitCode::no_backend,
                "backend \"cuda\": " + cuda_unavailable_reason() + "; use \"auto\", \"cpu\" or \"reference\"");
  }
  if (system.info.agents > 0 && system.device_code.type.empty()) {
    throw Error(ExitCode::no_backend,
                "swarm: its law, or what holds its agents, was compiled for the CPU alone; use \"cpu\" or \"auto\"");
  }
  if (system.device_code.type.empty()) {
    throw Error(ExitCode::no_backend,
                system.info.name + ": its formulas are not known, so that no kernels can be compiled; use \"cpu\"");
  }
  if (system.info.agents > 0) return cuda::make_swarm_backend(system, options);
  auto runner = std::make_unique<cuda::CudaRunner>(
      system.info, options, [&](const auto& device) { return cuda::kernels_at_run_time(system, options, device); });
  const std::string text = runner->text();
  return {std::move(runner), Backend::cuda, text, ""};
}

std::string cuda_reservation(const System& system, const Options& options) {
  if (options.sensitivities.of.empty() || cuda::first_choice_of_threads(system.info) == 1) return {};
  return "members with sensitivities have a thread each on a GPU, which is too little for a system of this size";
}

}  // namespace kalaba
