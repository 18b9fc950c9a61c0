#include <xsimd/xsimd.hpp>

#include "backend/backends.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/error.hpp"

namespace kalaba {

namespace {

std::string threads_text(int threads) {
  const int count = thread_count(threads);
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

}  // namespace

std::string cpu_device_text(int threads) {
  return "cpu: " + threads_text(threads) + ", " + std::to_string(xsimd::batch<double>::size) + " lanes (" +
         xsimd::default_arch::name() + ")";
}

std::string reference_device_text(int threads) { return "reference: " + threads_text(threads) + ", Eigen"; }

ChosenBackend choose_backend(const System& system, const Options& options) {
  switch (options.backend) {
    case Backend::reference:
      return {system.reference(options), Backend::reference, reference_device_text(options.threads), ""};
    case Backend::cuda:
      return {make_cuda_runner(system, options), Backend::cuda, cuda_device_text(), ""};
    case Backend::automatic:
      if (cuda_available()) return {make_cuda_runner(system, options), Backend::cuda, cuda_device_text(), ""};
      return {system.cpu(options), Backend::cpu, cpu_device_text(options.threads),
              "backend auto: cpu, because " + cuda_unavailable_reason()};
    case Backend::cpu:
      break;
  }
  return {system.cpu(options), Backend::cpu, cpu_device_text(options.threads), ""};
}

}  // namespace kalaba
