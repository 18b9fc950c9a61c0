#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace kalaba::test {

/// Function of one of the two libraries, resolved by the loader as in a program.
template <class Function>
Function* loaded(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* symbol = handle == nullptr ? nullptr : dlsym(handle, name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "no %s in %s: is LD_LIBRARY_PATH set?\n", name, library);
    std::abort();
  }
  return reinterpret_cast<Function*>(symbol);
}
template <class Function>
Function* cu(const char* name) {
  return loaded<Function>("libcuda.so.1", name);
}
template <class Function>
Function* nvrtc(const char* name) {
  return loaded<Function>("libnvrtc.so.13", name);
}

using Headers = std::vector<std::pair<std::string, std::string>>;  ///< include name and text

struct Compiled {
  nvrtcResult result;
  std::string cubin;
  std::string log;
};

inline Compiled compile(const std::string& source, const Headers& headers = {},
                        const std::vector<std::string>& options = {"--gpu-architecture=sm_90", "--std=c++20"}) {
  std::vector<const char*> names;
  std::vector<const char*> texts;
  std::vector<const char*> words;
  for (const auto& [name, text] : headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  for (const auto& option : options) words.push_back(option.c_str());
  nvrtcProgram program = nullptr;
  nvrtc<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram")(&program, source.c_str(), "kernel.cu",
                                                            static_cast<int>(names.size()), texts.data(), names.data());
  Compiled compiled{};
  compiled.result = nvrtc<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram")(program, static_cast<int>(words.size()),
                                                                                words.data());
  std::size_t size = 0;
  nvrtc<decltype(nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize")(program, &size);
  compiled.log.resize(size);
  nvrtc<decltype(nvrtcGetProgramLog)>("nvrtcGetProgramLog")(program, compiled.log.data());
  nvrtc<decltype(nvrtcGetCUBINSize)>("nvrtcGetCUBINSize")(program, &size);
  compiled.cubin.resize(size);
  if (size > 0) nvrtc<decltype(nvrtcGetCUBIN)>("nvrtcGetCUBIN")(program, compiled.cubin.data());
  nvrtc<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram")(&program);
  return compiled;
}

/// Sets an environment variable of the emulation during its lifetime.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

/// Test with the first device's context current. The names are the driver's without `cu`.
class EmulatedGpu : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cu<decltype(cuInit)>("cuInit")(0), CUDA_SUCCESS);
    ASSERT_EQ(retain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(set_current(context_), CUDA_SUCCESS);
  }
  void TearDown() override {
    set_current(context_);
    release(0);
  }

  CUdeviceptr device(std::size_t size) const {
    CUdeviceptr address = 0;
    EXPECT_EQ(alloc(&address, size), CUDA_SUCCESS);
    return address;
  }
  CUdeviceptr copied(const std::vector<double>& values) const {
    const CUdeviceptr address = device(values.size() * sizeof(double));
    const CUstream stream = new_stream();
    EXPECT_EQ(to_device(address, values.data(), values.size() * sizeof(double), stream), CUDA_SUCCESS);
    EXPECT_EQ(destroy_stream(stream), CUDA_SUCCESS);  // executes the queued work
    return address;
  }
  std::vector<double> host(CUdeviceptr address, std::size_t count, CUstream stream) const {
    std::vector<double> values(count);
    EXPECT_EQ(to_host(values.data(), address, count * sizeof(double), stream), CUDA_SUCCESS);
    EXPECT_EQ(synchronize(stream), CUDA_SUCCESS);
    return values;
  }
  CUstream new_stream() const {
    CUstream stream = nullptr;
    EXPECT_EQ(create_stream(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return stream;
  }
  CUfunction kernel(const std::string& source, const char* name, const Headers& headers = {}) {
    const Compiled compiled = compile(source, headers);
    EXPECT_EQ(compiled.result, NVRTC_SUCCESS) << compiled.log;
    CUmodule module = nullptr;
    EXPECT_EQ(load(&module, compiled.cubin.data()), CUDA_SUCCESS);
    CUfunction function = nullptr;
    EXPECT_EQ(get_function(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  template <class... Parameters>
  CUresult launch(CUfunction function, unsigned blocks, unsigned threads, unsigned shared, CUstream stream,
                  Parameters... parameters) const {
    void* values[] = {&parameters..., nullptr};
    return launch_kernel(function, blocks, 1, 1, threads, 1, 1, shared, stream, values, nullptr);
  }

  decltype(cuDevicePrimaryCtxRetain)* retain = cu<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain");
  decltype(cuDevicePrimaryCtxRelease)* release =
      cu<decltype(cuDevicePrimaryCtxRelease)>("cuDevicePrimaryCtxRelease_v2");
  decltype(cuCtxSetCurrent)* set_current = cu<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent");
  decltype(cuMemAlloc)* alloc = cu<decltype(cuMemAlloc)>("cuMemAlloc_v2");
  decltype(cuMemFree)* free = cu<decltype(cuMemFree)>("cuMemFree_v2");
  decltype(cuMemAllocHost)* alloc_host = cu<decltype(cuMemAllocHost)>("cuMemAllocHost_v2");
  decltype(cuMemFreeHost)* free_host = cu<decltype(cuMemFreeHost)>("cuMemFreeHost");
  decltype(cuMemcpyHtoDAsync)* to_device = cu<decltype(cuMemcpyHtoDAsync)>("cuMemcpyHtoDAsync_v2");
  decltype(cuMemcpyDtoHAsync)* to_host = cu<decltype(cuMemcpyDtoHAsync)>("cuMemcpyDtoHAsync_v2");
  decltype(cuMemsetD8Async)* fill = cu<decltype(cuMemsetD8Async)>("cuMemsetD8Async");
  decltype(cuStreamCreate)* create_stream = cu<decltype(cuStreamCreate)>("cuStreamCreate");
  decltype(cuStreamDestroy)* destroy_stream = cu<decltype(cuStreamDestroy)>("cuStreamDestroy_v2");
  decltype(cuStreamSynchronize)* synchronize = cu<decltype(cuStreamSynchronize)>("cuStreamSynchronize");
  decltype(cuStreamWaitEvent)* wait_event = cu<decltype(cuStreamWaitEvent)>("cuStreamWaitEvent");
  decltype(cuEventCreate)* create_event = cu<decltype(cuEventCreate)>("cuEventCreate");
  decltype(cuEventRecord)* record = cu<decltype(cuEventRecord)>("cuEventRecord");
  decltype(cuEventSynchronize)* synchronize_event = cu<decltype(cuEventSynchronize)>("cuEventSynchronize");
  decltype(cuModuleLoadData)* load = cu<decltype(cuModuleLoadData)>("cuModuleLoadData");
  decltype(cuModuleUnload)* unload = cu<decltype(cuModuleUnload)>("cuModuleUnload");
  decltype(cuModuleGetFunction)* get_function = cu<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
  decltype(cuModuleGetGlobal)* get_global = cu<decltype(cuModuleGetGlobal)>("cuModuleGetGlobal_v2");
  decltype(cuFuncGetAttribute)* get_attribute = cu<decltype(cuFuncGetAttribute)>("cuFuncGetAttribute");
  decltype(cuFuncSetAttribute)* set_attribute = cu<decltype(cuFuncSetAttribute)>("cuFuncSetAttribute");
  decltype(cuLaunchKernel)* launch_kernel = cu<decltype(cuLaunchKernel)>("cuLaunchKernel");

  CUcontext context_ = nullptr;
};

}  // namespace kalaba::test
