// The driver's functions for modules, functions and launches.

#include <algorithm>
#include <vector>

#include "api.hpp"
#include "block.hpp"
#include "environment.hpp"

using namespace kalaba::emulated;

namespace {

std::shared_ptr<Module> find_module(Context& context, CUmodule handle) {
  return find(context, &Context::modules, handle, "module");
}

std::shared_ptr<Function> find_function(Context& context, CUfunction handle) {
  return find(context, &Context::functions, handle, "function");
}

/// Copies of the parameters, made when the kernel is launched; `values` point to the caller's.
std::vector<std::vector<char>> copies(const Kernel& kernel, void** values) {
  std::vector<std::vector<char>> all;
  for (int i = 0; i < kernel.parameters; ++i) {
    if (values == nullptr || values[i] == nullptr) throw Failure{CUDA_ERROR_INVALID_VALUE, "a parameter is missing"};
    const auto* begin = static_cast<const char*>(values[i]);
    all.emplace_back(begin, begin + kernel.sizes[i]);
  }
  return all;
}

void check_launch(const Function& function, Index grid, Index block, unsigned shared_memory) {
  if (std::min({grid.x, grid.y, grid.z, block.x, block.y, block.z}) == 0 || grid.x > 2147483647U || grid.y > 65535U ||
      grid.z > 65535U || block.z > 64) {
    throw Failure{CUDA_ERROR_INVALID_VALUE, function.name + ": there can be no such grid or block"};
  }
  const unsigned long threads = 1UL * block.x * block.y * block.z;
  if (threads > static_cast<unsigned long>(function.most_threads())) {
    throw Failure{CUDA_ERROR_INVALID_VALUE, function.name + ": a block of " + std::to_string(threads) +
                                                " threads, more than " + std::to_string(function.most_threads())};
  }
  if (shared_memory > function.most_shared_memory) {
    throw Failure{CUDA_ERROR_INVALID_VALUE, function.name + ": " + std::to_string(shared_memory) +
                                                " bytes of dynamic shared memory, more than " +
                                                std::to_string(function.most_shared_memory)};
  }
}

/// The launch as a stream does it.
struct LaunchedKernel {
  std::shared_ptr<Function> function;
  Index grid;
  Index block;
  std::size_t shared_memory;
  std::vector<std::vector<char>> parameters;

  void run(Context& context, BlockRunner& blocks) {
    std::vector<void*> values;
    for (auto& parameter : parameters) values.push_back(parameter.data());
    const DeviceMemory::Window window(context.memory);
    const std::string failure = blocks.run({function->kernel, values.data(), grid, block, shared_memory});
    if (failure.empty()) return;
    std::fprintf(stderr, "emulated CUDA: kernel %s, %s\n", function->name.c_str(), failure.c_str());
    context.fault = CUDA_ERROR_LAUNCH_FAILED;
  }
};

int attribute_of(const Function& function, CUfunction_attribute attribute) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return function.most_threads();
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return 0;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(number_setting("KALABA_EMULATED_SPILL", 0));
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return 64;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return 90;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return static_cast<int>(function.most_shared_memory);
    default:
      throw Failure{CUDA_ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute) + " is not emulated"};
  }
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuModuleLoadData(CUmodule* handle, const void* image) {
  return answer_in_context("cuModuleLoadData", [&](Context& context) {
    need(handle);
    if (image == nullptr) throw Failure{CUDA_ERROR_INVALID_VALUE, "no image"};
    *handle = reinterpret_cast<CUmodule>(context.modules.add(std::make_shared<Module>(image)));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuModuleUnload(CUmodule handle) {
  return answer_with_end_of("cuModuleUnload", [&](Context& context) {
    const auto module = find_module(context, handle);
    context.finish();
    for (const auto& [name, function] : module->functions()) context.functions.remove(function.get());
    for (const auto& [name, address] : module->variables()) {
      context.memory.remove_variable(reinterpret_cast<CUdeviceptr>(address));
    }
    context.modules.remove(handle);
  });
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction* handle, CUmodule module, const char* name) {
  return answer_in_context("cuModuleGetFunction", [&](Context& context) {
    need(handle);
    need(name);
    const auto function = find_module(context, module)->function(name);
    *handle = reinterpret_cast<CUfunction>(context.functions.add(function));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr* address, std::size_t* size, CUmodule module, const char* name) {
  return answer_in_context("cuModuleGetGlobal", [&](Context& context) {
    need(name);
    const auto [place, bytes] = find_module(context, module)->variable(name);
    context.memory.add_variable(reinterpret_cast<CUdeviceptr>(place), bytes);
    if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(place);
    if (size != nullptr) *size = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  return answer_in_context("cuFuncGetAttribute", [&](Context& context) {
    need(value);
    *value = attribute_of(*find_function(context, handle), attribute);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  return answer_in_context("cuFuncSetAttribute", [&](Context& context) {
    const auto function = find_function(context, handle);
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute) + " is not emulated"};
    }
    if (value < 0 || static_cast<unsigned long>(value) > kalaba_emulated::largest_shared_memory) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, std::to_string(value) + " bytes, more than a block can have"};
    }
    function->most_shared_memory = static_cast<unsigned long>(value);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                unsigned block_y, unsigned block_z, unsigned shared_memory, CUstream stream_handle,
                                void** parameters, void** extra) {
  return answer_in_context("cuLaunchKernel", [&](Context& context) {
    const auto function = find_function(context, handle);
    const auto stream = find_stream(context, stream_handle);
    if (extra != nullptr) throw Failure{CUDA_ERROR_INVALID_VALUE, "parameters in `extra` are not emulated"};
    const Index grid = {grid_x, grid_y, grid_z};
    const Index block = {block_x, block_y, block_z};
    check_launch(*function, grid, block, shared_memory);
    const auto launched = std::make_shared<LaunchedKernel>(
        LaunchedKernel{function, grid, block, shared_memory, copies(*function->kernel, parameters)});
    const bool fails = context.fails(function->name);
    push(context, *stream, {"kernel " + function->name, [&context, launched, fails](BlockRunner& blocks) {
                              if (fails) {
                                context.fault = CUDA_ERROR_ILLEGAL_ADDRESS;
                              } else {
                                launched->run(context, blocks);
                              }
                            }});
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
