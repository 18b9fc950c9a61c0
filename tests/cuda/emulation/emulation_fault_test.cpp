// Memory errors and faults in the emulated driver.

#include <bit>

#include "emulated_gpu.hpp"

namespace kalaba::test {

namespace {

using Memory = EmulatedGpu;
using MemoryDeathTest = EmulatedGpu;
using Faults = EmulatedGpu;

const std::string read_and_write = R"(
extern "C" __global__ void move(double* x, long from, long to) { x[to] = x[from]; })";
const std::string shared_overrun = R"(
extern "C" __global__ void overrun(double* x, int at) {
  extern __shared__ double all[];
  all[at] = 1;
  *x = all[at];
})";

TEST_F(Memory, IsPoisonedUntilWritten) {
  const CUstream stream = new_stream();
  const double value = host(device(sizeof(double)), 1, stream)[0];
  EXPECT_NE(value, value);
}

TEST_F(Memory, IsLimited) {
  const Setting limit("KALABA_EMULATED_MEMORY", "1000");
  const auto info = cu<decltype(cuMemGetInfo)>("cuMemGetInfo_v2");
  std::size_t unused = 0;
  std::size_t total = 0;
  const CUdeviceptr x = device(600);
  CUdeviceptr y = 0;
  EXPECT_EQ(alloc(&y, 401), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(info(&unused, &total), CUDA_SUCCESS);
  EXPECT_EQ(unused, 400U);
  EXPECT_EQ(total, 1000U);
  EXPECT_EQ(free(x), CUDA_SUCCESS);
  EXPECT_EQ(alloc(&y, 1000), CUDA_SUCCESS);
}

TEST_F(Memory, KnowsItsAllocations) {
  const CUstream stream = new_stream();
  const CUdeviceptr x = device(64);
  double value[16] = {};
  EXPECT_EQ(to_device(x, value, 64, stream), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(to_device(x + 8, value, 64, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("64 bytes at byte 8 of an allocation of 64 bytes"),
            std::string::npos);
  EXPECT_EQ(fill(reinterpret_cast<CUdeviceptr>(value), 0, 8, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free(x + 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free(x), CUDA_SUCCESS);
  EXPECT_EQ(free(x), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, OfTheHostIsNotFreedUnderACopy) {
  const Setting timing("KALABA_EMULATED_TIMING", "late");
  const CUdeviceptr x = copied({4.0});
  const CUstream stream = new_stream();
  void* memory = nullptr;
  ASSERT_EQ(alloc_host(&memory, sizeof(double)), CUDA_SUCCESS);
  EXPECT_EQ(to_host(memory, x, sizeof(double), stream), CUDA_SUCCESS);
  EXPECT_EQ(free_host(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<double*>(memory), 4);
  EXPECT_EQ(free_host(memory), CUDA_SUCCESS);
  EXPECT_EQ(free_host(memory), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryDeathTest, IsNotTouchedOutsideByAKernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const CUfunction move = kernel(read_and_write, "move");
  const CUdeviceptr x = device(5 * sizeof(double));
  const CUstream stream = new_stream();
  EXPECT_DEATH(
      {
        launch(move, 1, 1, 0, stream, x, 5L, 0L);
        synchronize(stream);
      },
      "kernel move, block \\(0, 0, 0\\), thread \\(0, 0, 0\\): no access to .*byte 40 of an allocation of 40 bytes");
  EXPECT_DEATH(
      {
        launch(move, 1, 1, 0, stream, x, 0L, -600L);
        synchronize(stream);
      },
      "kernel move");
}

TEST_F(MemoryDeathTest, ThatIsSharedIsNotTouchedOutside) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const CUfunction overrun = kernel(shared_overrun, "overrun");
  const CUdeviceptr x = device(sizeof(double));
  const CUstream stream = new_stream();
  EXPECT_EQ(launch(overrun, 1, 1, 16, stream, x, 1), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(stream), CUDA_SUCCESS);
  EXPECT_DEATH(
      {
        launch(overrun, 1, 1, 16, stream, x, 2);
        synchronize(stream);
      },
      "kernel overrun, block");
}

#if !defined(__SANITIZE_THREAD__)  // where device memory stays open, see device_memory.cpp
TEST_F(MemoryDeathTest, IsNotTouchedByTheHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const CUdeviceptr x = copied({1.0});
  EXPECT_DEATH(std::printf("%f", *std::bit_cast<volatile double*>(x)), "the host touched device memory");
}
#endif

TEST_F(Memory, WrittenJustBeforeIsFoundWhenItIsFreed) {
  const CUfunction move = kernel(read_and_write, "move");
  const CUdeviceptr x = device(5 * sizeof(double));
  const CUstream stream = new_stream();
  ASSERT_EQ(fill(x, 0, 40, stream), CUDA_SUCCESS);
  launch(move, 1, 1, 0, stream, x, 0L, -1L);
  EXPECT_EQ(synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(free(x), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Faults, OfTheDriver) {
  const auto init = cu<decltype(cuInit)>("cuInit");
  const auto version = cu<decltype(cuDriverGetVersion)>("cuDriverGetVersion");
  int number = 0;
  EXPECT_EQ(version(&number), CUDA_SUCCESS);
  EXPECT_EQ(number, 13000);
  {
    const Setting fault("KALABA_EMULATED_FAULT", "no_driver_init");
    EXPECT_EQ(init(0), CUDA_ERROR_NO_DEVICE);
  }
  {
    const Setting fault("KALABA_EMULATED_FAULT", "old_driver");
    EXPECT_EQ(version(&number), CUDA_SUCCESS);
    EXPECT_EQ(number, 11080);
  }
  const Setting fault("KALABA_EMULATED_FAULT", "busy");
  CUcontext context = nullptr;
  EXPECT_EQ(retain(&context, 0), CUDA_ERROR_DEVICE_UNAVAILABLE);
}

TEST_F(Faults, ThereAreAsManyDevicesAsAskedFor) {
  const auto count = cu<decltype(cuDeviceGetCount)>("cuDeviceGetCount");
  const auto name_of = cu<decltype(cuDeviceGetName)>("cuDeviceGetName");
  int devices = 0;
  EXPECT_EQ(count(&devices), CUDA_SUCCESS);
  EXPECT_EQ(devices, 1);
  {
    const Setting none("KALABA_EMULATED_DEVICES", "0");
    EXPECT_EQ(count(&devices), CUDA_SUCCESS);
    EXPECT_EQ(devices, 0);
  }
  const Setting three("KALABA_EMULATED_DEVICES", "3");
  EXPECT_EQ(count(&devices), CUDA_SUCCESS);
  EXPECT_EQ(devices, 3);
  char name[32];
  EXPECT_EQ(name_of(name, sizeof name, 2), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Emulated GPU 2");
  EXPECT_EQ(name_of(name, sizeof name, 3), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Faults, OfALaunchAreSeenLaterAndStay) {
  const Setting fault("KALABA_EMULATED_FAULT", "launch:2");
  const CUfunction advance =
      kernel(R"(extern "C" __global__ void kalaba_advance(double* x) { *x += 1; })", "kalaba_advance");
  const CUdeviceptr x = copied({0.0});
  const CUstream stream = new_stream();
  EXPECT_EQ(launch(advance, 1, 1, 0, stream, x), CUDA_SUCCESS);
  EXPECT_EQ(host(x, 1, stream)[0], 1);
  EXPECT_EQ(launch(advance, 1, 1, 0, stream, x), CUDA_SUCCESS) << "the call does not know yet";
  EXPECT_EQ(synchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(synchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr y = 0;
  EXPECT_EQ(alloc(&y, 8), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(free(x), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(destroy_stream(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(release(0), CUDA_SUCCESS);
  EXPECT_EQ(retain(&context_, 0), CUDA_SUCCESS);
  EXPECT_EQ(alloc(&y, 8), CUDA_SUCCESS) << "a new context";
}

TEST_F(Faults, OfMemoryDependOnTheSize) {
  const Setting fault("KALABA_EMULATED_FAULT", "memory:100");
  CUdeviceptr x = 0;
  EXPECT_EQ(alloc(&x, 101), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(alloc(&x, 100), CUDA_SUCCESS);
}

TEST_F(Faults, CallsNeedACurrentContext) {
  ASSERT_EQ(set_current(nullptr), CUDA_SUCCESS);
  CUdeviceptr x = 0;
  EXPECT_EQ(alloc(&x, 8), CUDA_ERROR_INVALID_CONTEXT);
  CUstream stream = nullptr;
  EXPECT_EQ(create_stream(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Faults, HaveNames) {
  const char* text = nullptr;
  const auto name_of = cu<decltype(cuGetErrorName)>("cuGetErrorName");
  EXPECT_EQ(name_of(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(name_of(CUDA_ERROR_ALREADY_MAPPED, &text), CUDA_ERROR_INVALID_VALUE) << "not one that the emulation gives";
}

}  // namespace

}  // namespace kalaba::test
