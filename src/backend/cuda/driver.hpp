#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include "kalaba/error.hpp"

namespace kalaba::cuda {

/// Functions of the CUDA driver that Kalaba calls, under the names of <cuda.h>. They are loaded from libcuda.so.1 at
/// run time, so that the program also starts without a driver.
struct Driver {
  decltype(&::cuInit) cuInit;
  decltype(&::cuDriverGetVersion) cuDriverGetVersion;
  decltype(&::cuGetErrorName) cuGetErrorName;
  decltype(&::cuGetErrorString) cuGetErrorString;

  decltype(&::cuDeviceGetCount) cuDeviceGetCount;
  decltype(&::cuDeviceGet) cuDeviceGet;
  decltype(&::cuDeviceGetName) cuDeviceGetName;
  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute;
  decltype(&::cuDeviceTotalMem) cuDeviceTotalMem;
  decltype(&::cuDevicePrimaryCtxRetain) cuDevicePrimaryCtxRetain;
  decltype(&::cuDevicePrimaryCtxRelease) cuDevicePrimaryCtxRelease;
  decltype(&::cuCtxSetCurrent) cuCtxSetCurrent;

  decltype(&::cuMemGetInfo) cuMemGetInfo;
  decltype(&::cuMemAlloc) cuMemAlloc;
  decltype(&::cuMemFree) cuMemFree;
  decltype(&::cuMemAllocHost) cuMemAllocHost;
  decltype(&::cuMemFreeHost) cuMemFreeHost;
  decltype(&::cuMemcpyHtoDAsync) cuMemcpyHtoDAsync;
  decltype(&::cuMemcpyDtoHAsync) cuMemcpyDtoHAsync;
  decltype(&::cuMemsetD8Async) cuMemsetD8Async;

  decltype(&::cuStreamCreate) cuStreamCreate;
  decltype(&::cuStreamDestroy) cuStreamDestroy;
  decltype(&::cuStreamSynchronize) cuStreamSynchronize;
  decltype(&::cuStreamWaitEvent) cuStreamWaitEvent;
  decltype(&::cuEventCreate) cuEventCreate;
  decltype(&::cuEventDestroy) cuEventDestroy;
  decltype(&::cuEventRecord) cuEventRecord;
  decltype(&::cuEventSynchronize) cuEventSynchronize;
  decltype(&::cuEventElapsedTime) cuEventElapsedTime;

  decltype(&::cuModuleLoadData) cuModuleLoadData;
  decltype(&::cuModuleUnload) cuModuleUnload;
  decltype(&::cuModuleGetFunction) cuModuleGetFunction;
  decltype(&::cuModuleGetGlobal) cuModuleGetGlobal;
  decltype(&::cuFuncGetAttribute) cuFuncGetAttribute;
  decltype(&::cuFuncSetAttribute) cuFuncSetAttribute;
  decltype(&::cuLaunchKernel) cuLaunchKernel;
};

/// Returns the driver, which the first call loads and initialises. Throws Error(no_backend) if it cannot be used: it is
/// missing, older than CUDA 12.0, or finds no device.
const Driver& driver();
/// Reason why `driver` would throw; empty if it would not.
const std::string& driver_problem();
/// The CUDA version of the driver, "13.0". Throws as `driver` does.
std::string driver_version();

/// Error: the device, or host memory that devices read, has no room for the request; a smaller request may succeed. Its
/// code is no_backend.
class OutOfMemory : public Error {
 public:
  explicit OutOfMemory(const std::string& message) : Error(ExitCode::no_backend, message) {}
};

/// Throws if a call of the driver failed. The message contains `doing` ("copying the states to the device") and CUDA's
/// name and text of the error. Throws OutOfMemory; Error(no_backend) if the device is not available or cannot be used;
/// Error(internal_error) otherwise, for example if a kernel failed.
void check(CUresult result, std::string_view doing);

}  // namespace kalaba::cuda
