#include "backend/backends.hpp"
#include "backend/cuda/compiler.hpp"
#include "backend/cuda/cubin_cache.hpp"
#include "backend/cuda/cuda_runner.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "backend/cuda/swarm_runner.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kernels/statistics.hpp"

namespace kalaba {
namespace {

/// Number of CPU threads that are as fast as an H200 with members on tiles of threads. Predicted for chains of 8 from
/// the traffic of local memory (bench/results/gpu_predictions.md), not measured.
constexpr int threads_equal_to_tiles = 16;

std::string problem() {
  if (const std::string& driver = cuda::driver_problem(); !driver.empty()) return driver;
  try {
    cuda::device_ordinals({});
  } catch (const Error& error) {
    return error.what();
  }
  return cuda::carried_cubins().empty() ? cuda::compiler_problem() : "";
}

}  // namespace

bool cuda_available() { return cuda_unavailable_reason().empty(); }

std::string cuda_unavailable_reason() {
  static const std::string reason = problem();
  return reason;
}

std::string cuda_device_text() { return cuda::devices_text(); }

std::string cuda_kernels_text() {
  const std::string carried = cuda::carried_cubins();
  const std::string compiler = cuda::compiler_problem().empty()
                                   ? "compiled by " + cuda::compiler_identity() + ", " + cuda::compiler_file()
                                   : "not compiled: " + cuda::compiler_problem();
  return carried.empty() ? compiler : "carried in " + carried + "; others " + compiler;
}

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
                system.info.name + ": its formulas are not available, so that no kernels can be compiled; use \"cpu\"");
  }
  if (system.info.agents > 0) return cuda::make_swarm_backend(system, options);
  auto runner = std::make_unique<cuda::CudaRunner>(
      system.info, options, [&](const auto& device) { return cuda::kernels_at_run_time(system, options, device); });
  const std::string text = runner->text();
  return {std::move(runner), Backend::cuda, text, ""};
}

std::string cuda_reservation(const System& system, const Options& options) {
  if (system.info.agents > 0) return {};
  const bool fits_a_thread = cuda::first_choice_of_threads(system.info) == 1;
  if (fits_a_thread || options.threads_per_member != 0) return {};
  if (!options.sensitivities.of.empty()) {
    return "members with sensitivities have a thread each on a GPU, which is too little for a system of this size";
  }
  const int threads = thread_count(options.threads);
  if (threads < threads_equal_to_tiles) return {};
  return "a GPU shares each member of a system of this size among several threads, which is predicted to be slower "
         "than " +
         std::to_string(threads) + " threads of the CPU; backend = \"cuda\" takes the GPU all the same";
}

}  // namespace kalaba
