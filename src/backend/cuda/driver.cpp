#include "backend/cuda/driver.hpp"

#include "backend/cuda/shared_library.hpp"

namespace kalaba::cuda {
namespace {

constexpr int oldest_version = 12000;

struct LoadedDriver {
  Driver functions{};
  int version = 0;
  std::string problem;
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const std::string& requirement() {
  static const std::string text = "Kalaba needs NVIDIA's driver for CUDA " + version_text(oldest_version) + " or later";
  return text;
}

/// Returns CUDA's name and text of an error: "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected".
std::string words(const Driver& functions, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (functions.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr ||
      functions.cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) {
    return "error " + std::to_string(result) + ", which this driver has no name for";
  }
  return std::string(name) + ": " + text;
}

// <cuda.h> defines the present version of a function by a macro (cuMemAlloc is cuMemAlloc_v2). The name to load must
// match the type, so the macro is expanded before it is converted to text.
#define KALABA_TEXT(name) #name
#define KALABA_FIND(name) library.find(KALABA_TEXT(name), functions.name)

void find_devices_and_memory(SharedLibrary& library, Driver& functions) {
  KALABA_FIND(cuInit);
  KALABA_FIND(cuDriverGetVersion);
  KALABA_FIND(cuGetErrorName);
  KALABA_FIND(cuGetErrorString);
  KALABA_FIND(cuDeviceGetCount);
  KALABA_FIND(cuDeviceGet);
  KALABA_FIND(cuDeviceGetName);
  KALABA_FIND(cuDeviceGetAttribute);
  KALABA_FIND(cuDeviceTotalMem);
  KALABA_FIND(cuDevicePrimaryCtxRetain);
  KALABA_FIND(cuDevicePrimaryCtxRelease);
  KALABA_FIND(cuCtxSetCurrent);
  KALABA_FIND(cuMemGetInfo);
  KALABA_FIND(cuMemAlloc);
  KALABA_FIND(cuMemFree);
  KALABA_FIND(cuMemAllocHost);
  KALABA_FIND(cuMemFreeHost);
  KALABA_FIND(cuMemcpyHtoDAsync);
  KALABA_FIND(cuMemcpyDtoHAsync);
  KALABA_FIND(cuMemsetD8Async);
}

void find_streams_and_kernels(SharedLibrary& library, Driver& functions) {
  KALABA_FIND(cuStreamCreate);
  KALABA_FIND(cuStreamDestroy);
  KALABA_FIND(cuStreamSynchronize);
  KALABA_FIND(cuStreamWaitEvent);
  KALABA_FIND(cuEventCreate);
  KALABA_FIND(cuEventDestroy);
  KALABA_FIND(cuEventRecord);
  KALABA_FIND(cuEventSynchronize);
  library.find("cuEventElapsedTime", functions.cuEventElapsedTime);  // CUDA 12.8 introduced its second version
  KALABA_FIND(cuModuleLoadData);
  KALABA_FIND(cuModuleUnload);
  KALABA_FIND(cuModuleGetFunction);
  KALABA_FIND(cuModuleGetGlobal);
  KALABA_FIND(cuFuncGetAttribute);
  KALABA_FIND(cuFuncSetAttribute);
  KALABA_FIND(cuLaunchKernel);
}

#undef KALABA_FIND
#undef KALABA_TEXT

/// Initialises the driver. Returns the reason why it cannot be used, or an empty string.
std::string start(const Driver& functions, int& version) {
  if (const CUresult result = functions.cuDriverGetVersion(&version); result != CUDA_SUCCESS) {
    return "the CUDA driver does not report its version: " + words(functions, result);
  }
  if (version < oldest_version) {
    return "the CUDA driver is too old: it is for CUDA " + version_text(version) + ", and " + requirement();
  }
  if (const CUresult result = functions.cuInit(0); result != CUDA_SUCCESS) {
    return "the CUDA driver does not start: " + words(functions, result);
  }
  int devices = 0;
  if (const CUresult result = functions.cuDeviceGetCount(&devices); result != CUDA_SUCCESS) {
    return "the CUDA driver does not count its devices: " + words(functions, result);
  }
  return devices > 0 ? "" : "the CUDA driver finds no device";
}

LoadedDriver load_driver() {
  LoadedDriver loaded;
  SharedLibrary library("libcuda.so.1");
  if (!library.problem().empty()) {
    loaded.problem = std::string("there is no ") + (library.absent() ? "" : "usable ") + "CUDA driver here (" +
                     library.problem() + "); " + requirement();
    return loaded;
  }
  find_devices_and_memory(library, loaded.functions);
  find_streams_and_kernels(library, loaded.functions);
  if (!library.missing().empty()) {
    loaded.problem = "the CUDA driver is too old: it has no " + library.missing() + ", and " + requirement();
    return loaded;
  }
  loaded.problem = start(loaded.functions, loaded.version);
  return loaded;
}

const LoadedDriver& loaded() {
  static const LoadedDriver once = load_driver();
  return once;
}

const LoadedDriver& usable() {
  if (!loaded().problem.empty()) throw Error(ExitCode::no_backend, loaded().problem);
  return loaded();
}

/// Returns no_backend if the device is not available or cannot run the code that this machine's compiler generates.
ExitCode exit_code(CUresult result) {
  switch (result) {
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_DEVICE_NOT_LICENSED:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_OPERATING_SYSTEM:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
      return ExitCode::no_backend;
    default:
      return ExitCode::internal_error;
  }
}

}  // namespace

const Driver& driver() { return usable().functions; }

const std::string& driver_problem() { return loaded().problem; }

std::string driver_version() { return version_text(usable().version); }

void check(CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return;
  const std::string message = "cuda: " + std::string(doing) + ": " + words(driver(), result);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(message);
  throw Error(exit_code(result), message);
}

}  // namespace kalaba::cuda
