// Kernels in the emulated driver: collective operations of a block's threads, and messages of the compiler.

#include "emulated_gpu.hpp"

namespace kalaba::test {

namespace {

using Kernels = EmulatedGpu;

const std::string vector_add = R"(
extern "C" __global__ void __launch_bounds__(64)
    add(const double* a, const double* b, double* sum, long count) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
})";

/// One member per tile of eight lanes: a sum by halving, in shared memory, until one lane has the total.
const std::string tile_header = R"(
template <class T> __device__ T* shared_workspace() {
  extern __shared__ double kalaba_shared[];
  return reinterpret_cast<T*>(kalaba_shared);
}
__device__ __forceinline__ unsigned lanes() { return 0xffU << (threadIdx.x % 32U / 8 * 8); }
)";
const std::string tile_sum = R"(
#include "kernels/tile.cuh"
struct Batch { double* data; long members; };
extern "C" __global__ void sum(Batch batch) {
  const int rank = threadIdx.x % 8;
  const int place = threadIdx.x / 8;
  const long member = static_cast<long>(blockIdx.x) * (blockDim.x / 8) + place;
  if (member >= batch.members) return;
  double* values = shared_workspace<double>() + place * 8;
  values[rank] = batch.data[member * 8 + rank];
  int half = 4;
  while (__any_sync(lanes(), rank < half)) {
    __syncwarp(lanes());
    if (rank < half) values[rank] += values[rank + half];
    __syncwarp(lanes());
    half /= 2;
  }
  batch.data[member * 8 + rank] = values[0];
})";

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i + 1);
  return values;
}

TEST_F(Kernels, AddVectors) {
  const CUfunction add = kernel(vector_add, "add");
  const CUdeviceptr a = copied(numbers(1000));
  const CUdeviceptr b = copied(numbers(1000));
  const CUdeviceptr sum = device(1000 * sizeof(double));
  const CUstream stream = new_stream();
  ASSERT_EQ(launch(add, 16, 64, 0, stream, a, b, sum, 1000L), CUDA_SUCCESS);
  const auto result = host(sum, 1000, stream);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(result[i], 2.0 * static_cast<double>(i + 1));
}

TEST_F(Kernels, TilesShareAMember) {
  const CUfunction sum = kernel(tile_sum, "sum", {{"kernels/tile.cuh", tile_header}});
  constexpr long members = 21;  // the last block's last tiles have none
  const CUdeviceptr data = copied(numbers(8 * members));
  const CUstream stream = new_stream();
  struct Batch {
    CUdeviceptr data;
    long members;
  };
  ASSERT_EQ(launch(sum, 3, 64, 64 * sizeof(double), stream, Batch{data, members}), CUDA_SUCCESS);
  const auto result = host(data, 8 * members, stream);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t member = i / 8;
    EXPECT_EQ(result[i], static_cast<double>(64 * member + 36)) << i;
  }
}

/// Every lane passes a number to its neighbour; a barrier is required in between.
std::string pass_on(const std::string& barrier) {
  return R"(
extern "C" __global__ void pass_on(double* out) {
  extern __shared__ double all[];
  const int i = threadIdx.x;
  all[i] = i;
  )" + barrier +
         R"(;
  out[i] = all[(i + 1) % 8];
})";
}

class Barriers : public EmulatedGpu {
 protected:
  std::vector<double> passed_on(const std::string& barrier) {
    const CUfunction function = kernel(pass_on(barrier), "pass_on");
    const CUdeviceptr out = device(8 * sizeof(double));
    const CUstream stream = new_stream();
    EXPECT_EQ(launch(function, 1, 8, 8 * sizeof(double), stream, out), CUDA_SUCCESS);
    return host(out, 8, stream);
  }
};
using BarriersDeathTest = Barriers;

TEST_F(Barriers, MakeWritesVisible) { EXPECT_EQ(passed_on("__syncwarp(0xffU)")[0], 1); }

#if !defined(__SANITIZE_THREAD__)
TEST_F(Barriers, AreMissedByTheResult) { EXPECT_NE(passed_on("")[0], 1); }
#else
TEST_F(BarriersDeathTest, AreMissedByTheThreadSanitizer) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* barrier : {"", "__any_sync(0xffU, true)"}) {  // a vote orders no memory
    EXPECT_EXIT(
        {
          passed_on(barrier);
          std::exit(0);
        },
        testing::ExitedWithCode(66), "data race");
  }
}
#endif

TEST_F(Kernels, BlocksSynchronizeAndWarpsShuffle) {
  const std::string source = R"(
extern "C" __global__ void turn(double* out) {
  __shared__ double all[64];
  const int i = threadIdx.x;
  all[i] = i;
  __syncthreads();
  const float f = __shfl_sync(0xffffffffU, static_cast<float>(all[63 - i]), 3, 16);
  const int down = __shfl_down_sync(0xffffffffU, i, 1);
  const unsigned odd = __ballot_sync(0xffffffffU, i % 2);
  out[i] = f + 1000.0 * down + 1e6 * (odd == 0xaaaaaaaaU);
})";
  const CUfunction turn = kernel(source, "turn");
  const CUdeviceptr out = device(64 * sizeof(double));
  const CUstream stream = new_stream();
  ASSERT_EQ(launch(turn, 1, 64, 0, stream, out), CUDA_SUCCESS);
  const auto result = host(out, 64, stream);
  for (int i = 0; i < 64; ++i) {
    const int source_lane = i / 16 * 16 + 3;
    const int down = i % 32 == 31 ? i : i + 1;
    EXPECT_EQ(result[static_cast<std::size_t>(i)], 63 - source_lane + 1000.0 * down + 1e6) << i;
  }
}

TEST_F(Kernels, ThatWaitForThreadsThatNeverComeFail) {
  const std::string source = R"(
extern "C" __global__ void stuck(double* out) {
  if (threadIdx.x < 5) __syncwarp(0xffU);
  if (threadIdx.x >= 5) __any_sync(0xffU, true);
  out[threadIdx.x] = 1;
})";
  const CUfunction stuck = kernel(source, "stuck");
  const CUdeviceptr out = device(8 * sizeof(double));
  const CUstream stream = new_stream();
  testing::internal::CaptureStderr();
  ASSERT_EQ(launch(stuck, 1, 8, 0, stream, out), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(stuck, 1, 8, 0, stream, out), CUDA_ERROR_LAUNCH_FAILED) << "a fault stays";
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no thread can go on: (0, 0, 0) waits in __syncwarp"),
            std::string::npos);
}

TEST_F(Kernels, WaitOnlyForThreadsThatHaveNotLeft) {
  const std::string source = R"(
extern "C" __global__ void leave(double* out) {
  if (threadIdx.x >= 24) return;
  __syncwarp();
  __syncthreads();
  out[threadIdx.x] = threadIdx.x;
})";
  const CUfunction leave = kernel(source, "leave");
  const CUdeviceptr out = device(24 * sizeof(double));
  const CUstream stream = new_stream();
  ASSERT_EQ(launch(leave, 1, 32, 0, stream, out), CUDA_SUCCESS);
  EXPECT_EQ(host(out, 24, stream)[23], 23);
}

TEST_F(Kernels, LaunchesKeepWithinTheirBounds) {
  const CUfunction add = kernel(vector_add, "add");
  const CUstream stream = new_stream();
  const CUdeviceptr a = device(8);
  int value = 0;
  ASSERT_EQ(get_attribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add), CUDA_SUCCESS);
  EXPECT_EQ(value, 64);
  EXPECT_EQ(launch(add, 1, 65, 0, stream, a, a, a, 1L), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(add, 0, 64, 0, stream, a, a, a, 1L), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(add, 1, 64, 50 * 1024, stream, a, a, a, 1L), CUDA_ERROR_INVALID_VALUE) << "not opted in";
  const auto most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(set_attribute(add, most, 228 * 1024), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set_attribute(add, most, 227 * 1024), CUDA_SUCCESS);
  EXPECT_EQ(launch(add, 1, 64, 227 * 1024, stream, a, a, a, 1L), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(stream), CUDA_SUCCESS);
  const Setting spill("KALABA_EMULATED_SPILL", "24");
  EXPECT_EQ(get_attribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, add), CUDA_SUCCESS);
  EXPECT_EQ(value, 24);
}

TEST_F(Kernels, ReadVariablesThatTheHostSets) {
  const std::string source = R"(
__constant__ double factor;
extern "C" __global__ void scale(double* x) { x[threadIdx.x] *= factor; })";
  const Compiled compiled = compile(source);
  CUmodule module = nullptr;
  ASSERT_EQ(load(&module, compiled.cubin.data()), CUDA_SUCCESS);
  CUdeviceptr factor = 0;
  std::size_t size = 0;
  ASSERT_EQ(get_global(&factor, &size, module, "factor"), CUDA_SUCCESS);
  EXPECT_EQ(size, sizeof(double));
  CUfunction scale = nullptr;
  ASSERT_EQ(get_function(&scale, module, "scale"), CUDA_SUCCESS);
  EXPECT_EQ(get_function(&scale, module, "absent"), CUDA_ERROR_NOT_FOUND);
  const CUdeviceptr x = copied(numbers(4));
  const CUstream stream = new_stream();
  const double three = 3;
  ASSERT_EQ(to_device(factor, &three, sizeof three, stream), CUDA_SUCCESS);
  ASSERT_EQ(launch(scale, 1, 4, 0, stream, x), CUDA_SUCCESS);
  EXPECT_EQ(host(x, 4, stream)[3], 12);
  EXPECT_EQ(unload(module), CUDA_SUCCESS);
}

TEST_F(Kernels, CompileOrSayWhyNot) {
  const Compiled wrong = compile("#include \"model.hpp\"\n", {{"model.hpp", "\n\nint f() { return missing; }\n"}});
  EXPECT_EQ(wrong.result, NVRTC_ERROR_COMPILATION);
  EXPECT_NE(wrong.log.find("model.hpp:3"), std::string::npos) << wrong.log;
  EXPECT_NE(wrong.log.find("missing"), std::string::npos) << wrong.log;

  const Compiled unknown = compile(vector_add, {}, {"--gpu-archetype=sm_90"});
  EXPECT_EQ(unknown.result, NVRTC_ERROR_INVALID_OPTION);

  const Compiled virtual_only = compile(vector_add, {}, {"--gpu-architecture=compute_90"});
  EXPECT_EQ(virtual_only.result, NVRTC_SUCCESS);
  EXPECT_TRUE(virtual_only.cubin.empty());

  const Compiled defined = compile("static_assert(VALUE == 7);", {}, {"-DVALUE=7"});
  EXPECT_EQ(defined.result, NVRTC_SUCCESS) << defined.log;
  EXPECT_EQ(compile(vector_add).cubin, compile(vector_add).cubin) << "same source, same bytes";
}

TEST_F(Kernels, LoadOnlyWhatTheCompilerMade) {
  CUmodule module = nullptr;
  const std::string text(4096, 'x');
  EXPECT_EQ(load(&module, text.data()), CUDA_ERROR_INVALID_IMAGE);
}

}  // namespace

}  // namespace kalaba::test
