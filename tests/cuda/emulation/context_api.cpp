// Current device: functions of the driver that kalaba/pseudo_inverse.hpp uses.

#include "api.hpp"

using namespace kalaba::emulated;

extern "C" {

CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
  return answer("cuCtxGetDevice", [&] {
    need(device);
    if (current_context() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    *device = static_cast<CUdevice>(&usable_context() - driver().contexts);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuCtxGetId(CUcontext handle, unsigned long long* id) {
  return answer("cuCtxGetId", [&] {
    need(id);
    if (handle != nullptr) throw Failure{CUDA_ERROR_INVALID_VALUE, "only the current context's id is emulated"};
    *id = static_cast<unsigned long long>(&usable_context() - driver().contexts) + 1;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
