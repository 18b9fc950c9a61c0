// The driver's functions for devices and contexts.

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "api.hpp"
#include "crash.hpp"
#include "environment.hpp"

using namespace kalaba::emulated;

namespace {

/// Attributes of an H200, for resources whose amount matters.
const std::map<CUdevice_attribute, int>& attributes() {
  static const std::map<CUdevice_attribute, int> all = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, kalaba_emulated::warp_size},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kalaba_emulated::most_threads_a_block},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, kalaba_emulated::default_shared_memory},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, kalaba_emulated::largest_shared_memory},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 * 1024},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
  };
  return all;
}

Context& context_of(CUdevice device) {
  if (device < 0 || device >= device_count()) throw Failure{CUDA_ERROR_INVALID_DEVICE, "there is no such device"};
  return driver().contexts[device];
}

constexpr auto names = std::to_array<std::pair<CUresult, const char*>>({
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
});

CUresult name_of(CUresult error, const char** text, bool sentence) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* found = std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == error; });
  *text = found == names.end() ? nullptr : found->second;
  if (found == names.end()) return CUDA_ERROR_INVALID_VALUE;
  if (sentence) *text += std::strlen(error == CUDA_SUCCESS ? "CUDA_" : "CUDA_ERROR_");
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (fault() == "no_driver_init") return CUDA_ERROR_NO_DEVICE;
  if (!driver().ready.exchange(true)) explain_crashes();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = fault() == "old_driver" ? 11080 : 13000;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char** text) { return name_of(error, text, false); }
CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) { return name_of(error, text, true); }

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  return answer("cuDeviceGetCount", [&] {
    need(count);
    *count = device_count();
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  return answer("cuDeviceGet", [&] {
    need(device);
    context_of(ordinal);
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceGetName(char* name, int length, CUdevice device) {
  return answer("cuDeviceGetName", [&] {
    need(name);
    context_of(device);
    if (length < 1) throw Failure{CUDA_ERROR_INVALID_VALUE, "no room for the name"};
    std::snprintf(name, static_cast<std::size_t>(length), "Emulated GPU %d", device);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return answer("cuDeviceGetAttribute", [&] {
    need(value);
    context_of(device);
    const auto found = attributes().find(attribute);
    if (found == attributes().end()) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute) + " is not emulated"};
    }
    *value = found->second;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return answer("cuDeviceTotalMem", [&] {
    need(bytes);
    context_of(device);
    *bytes = device_memory();
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* handle, CUdevice device) {
  return answer("cuDevicePrimaryCtxRetain", [&] {
    need(handle);
    Context& context = context_of(device);
    if (fault() == "busy") return CUDA_ERROR_DEVICE_UNAVAILABLE;
    ++context.retained;
    *handle = reinterpret_cast<CUcontext>(&context);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  return answer("cuDevicePrimaryCtxRelease", [&] {
    Context& context = context_of(device);
    if (context.retained == 0) throw Failure{CUDA_ERROR_INVALID_CONTEXT, "released more often than retained"};
    if (--context.retained == 0) context.clear();
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext handle) {
  return answer("cuCtxSetCurrent", [&] {
    auto* contexts = driver().contexts;
    auto* context = std::find_if(contexts, contexts + Driver::most_devices, [&](const Context& one) {
      return reinterpret_cast<CUcontext>(const_cast<Context*>(&one)) == handle;
    });
    const bool found = context != contexts + Driver::most_devices && context->retained > 0;
    if (handle != nullptr && !found) throw Failure{CUDA_ERROR_INVALID_CONTEXT, "there is no such context"};
    current_context() = handle == nullptr ? nullptr : context;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
