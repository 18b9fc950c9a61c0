#include "backend/backends.hpp"
#include "backend/kernel_resources.hpp"
#include "backend/pseudo_inverse.hpp"
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

[[noreturn]] void refuse_matrices() {
  throw Error(ExitCode::no_backend, "matrices on a device: " + cuda_unavailable_reason() + "; use OnHost");
}

[[noreturn]] void refuse_runner() {
  throw Error(ExitCode::no_backend,
              "backend \"cuda\": " + cuda_unavailable_reason() + "; use \"auto\", \"cpu\" or \"reference\"");
}

}  // namespace

bool cuda_available() { return false; }

std::string cuda_unavailable_reason() {
  return "this build has no CUDA backend: the CUDA toolkit was not found when it was configured";
}

ChosenBackend make_cuda_backend(const System& /*system*/, const Options& /*options*/) { refuse_runner(); }

std::string cuda_reservation(const System& /*system*/, const Options& /*options*/) { return {}; }

std::vector<KernelResources> kernel_resources(const System& /*system*/, const Options& /*options*/,
                                              const std::string& /*architecture*/) {
  throw Error(ExitCode::no_backend, "the kernels cannot be compiled: " + cuda_unavailable_reason());
}

std::string cuda_device_text() { return "none"; }

std::string cuda_kernels_text() { return "none"; }

std::string cuda_statistics_text() { return "none"; }

void factorize_on_device(const MatrixTask<float>& /*task*/, const OnDevice& /*device*/) { refuse_matrices(); }
void factorize_on_device(const MatrixTask<double>& /*task*/, const OnDevice& /*device*/) { refuse_matrices(); }

}  // namespace kalaba
