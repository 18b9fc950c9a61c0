#include "backend/cuda/current_device.hpp"

#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/shared_library.hpp"

namespace kalaba::cuda {
namespace {

/// Functions of the driver that only this file uses.
struct ContextDriver {
  decltype(&::cuCtxGetDevice) cuCtxGetDevice = nullptr;
  decltype(&::cuCtxGetId) cuCtxGetId = nullptr;
};

ContextDriver load_contexts() {
  driver();  // throws if the driver cannot be used
  ContextDriver functions;
  SharedLibrary library("libcuda.so.1");
  library.find("cuCtxGetDevice", functions.cuCtxGetDevice);
  library.find("cuCtxGetId", functions.cuCtxGetId);
  if (!library.missing().empty()) {
    throw Error(ExitCode::no_backend, "the CUDA driver has no " + library.missing());
  }
  return functions;
}

int ordinal_of(CUdevice device) {
  for (const int ordinal : device_ordinals({})) {
    CUdevice each = 0;
    check(driver().cuDeviceGet(&each, ordinal), "finding the current device");
    if (each == device) return ordinal;
  }
  throw Error(ExitCode::internal_error, "cuda: the current device is none of those that the driver counts");
}

}  // namespace

CurrentDevice current_device() {
  static const ContextDriver functions = load_contexts();
  CUdevice device = 0;
  const CUresult found = functions.cuCtxGetDevice(&device);
  if (found == CUDA_ERROR_INVALID_CONTEXT) {
    throw Error(ExitCode::bad_input,
                "no CUDA device is current to this thread; call cudaSetDevice (or cuCtxSetCurrent) first");
  }
  check(found, "asking for the current device");
  CurrentDevice current;
  check(functions.cuCtxGetId(nullptr, &current.context), "asking for the current context");
  current.ordinal = ordinal_of(device);
  return current;
}

}  // namespace kalaba::cuda
