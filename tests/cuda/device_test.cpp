// Devices, their memory and their work: on a GPU if there is one, and always on an emulated one (emulation/).

#include "backend/cuda/device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "backend/cuda/compiler.hpp"
#include "backend/cuda/memory.hpp"
#include "driver_help.hpp"

namespace kalaba::cuda {
namespace {

TEST_F(WithADriver, ChoosesDevices) {
  const std::vector<int> all = device_ordinals({});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), 0);
  EXPECT_EQ(device_ordinals({0}), std::vector<int>{0});
  for (const int wrong : {-1, static_cast<int>(all.size())}) {
    const Error error = error_of([&] { device_ordinals({0, wrong}); });
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_TRUE(has(error.what(), "no device " + std::to_string(wrong) + "; this machine has 0")) << error.what();
  }
  const Error twice = error_of([] { device_ordinals({0, 0}); });
  EXPECT_EQ(twice.code(), ExitCode::bad_input);
  EXPECT_TRUE(has(twice.what(), "device 0 is named twice")) << twice.what();
}

TEST_F(WithAnEmulatedDriver, ChoosesAmongSeveralDevices) {
  const Setting three("KALABA_EMULATED_DEVICES", "3");
  EXPECT_EQ(device_ordinals({}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(device_ordinals({2, 0}), (std::vector<int>{2, 0}));
  EXPECT_TRUE(has(error_of([] { device_ordinals({3}); }).what(), "this machine has 0, 1, 2"));
  const Setting memory("KALABA_EMULATED_MEMORY", "150110011392");
  EXPECT_TRUE(has(devices_text(),
                  "cuda 0: Emulated GPU 0, 139 GiB, sm_90, 132 multiprocessors, driver 13.0\n"
                  "cuda 1: Emulated GPU 1, "))
      << devices_text();
  EXPECT_NE(devices_text().back(), '\n');
}

TEST_F(WithADriver, KnowsItsDevices) {
  const DeviceInfo info = device_info(0);
  EXPECT_EQ(info.ordinal, 0);
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.architecture(), "sm_" + std::to_string(info.major) + std::to_string(info.minor));
  EXPECT_GE(info.major, 5);
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GE(info.shared_memory_per_block, 48U * 1024);
  const Device device(0);
  EXPECT_LE(device.free_memory(), info.total_memory);
  EXPECT_GT(device.free_memory(), 0U);
}

TEST_F(WithAnEmulatedDriver, SaysThatADeviceIsTaken) {
  const Setting busy("KALABA_EMULATED_FAULT", "busy");
  const Error error = error_of([] { Device(0); });
  EXPECT_EQ(error.code(), ExitCode::no_backend);
  EXPECT_TRUE(has(error.what(), "opening device cuda 0: CUDA_ERROR_DEVICE_UNAVAILABLE")) << error.what();
}

TEST_F(WithAnEmulatedDriver, GivesADeviceBackOnce) {
  const auto usable = [](const Device& device) {
    device.make_current();
    return DeviceBuffer(8).bytes() == 8;
  };
  Device first(0);
  Device moved = std::move(first);
  EXPECT_TRUE(usable(moved));
  {
    const Device second(0);
    EXPECT_TRUE(usable(second));
  }
  EXPECT_TRUE(usable(moved));
  moved = Device(0);
  EXPECT_TRUE(usable(moved));
  {
    const Device taken = std::move(moved);
    EXPECT_TRUE(usable(taken));
  }
  EXPECT_THROW(DeviceBuffer(8), Error);  // the current context is gone with its last holder
}

class OnADevice : public WithADriver {
 protected:
  void SetUp() override {
    WithADriver::SetUp();
    if (IsSkipped()) return;
    device_ = std::make_unique<Device>(0);
    device_->make_current();
  }
  void TearDown() override {
    if (device_) device_->make_current();
  }
  std::unique_ptr<Device> device_;
};

static_assert(!std::is_copy_constructible_v<Device> && std::is_nothrow_move_constructible_v<Device>);
static_assert(!std::is_copy_constructible_v<DeviceBuffer> && std::is_nothrow_move_constructible_v<DeviceBuffer>);
static_assert(!std::is_copy_constructible_v<PinnedBuffer> && std::is_nothrow_move_assignable_v<PinnedBuffer>);
static_assert(!std::is_copy_constructible_v<Stream> && std::is_nothrow_move_constructible_v<Event>);
static_assert(!std::is_copy_constructible_v<Module> && std::is_nothrow_move_constructible_v<Module>);

TEST_F(OnADevice, GivesMemoryBack) {
  const std::size_t before = device_->free_memory();
  constexpr std::size_t size = 64U << 20;
  {
    DeviceBuffer buffer(size);
    EXPECT_EQ(buffer.bytes(), size);
    EXPECT_EQ(reinterpret_cast<CUdeviceptr>(buffer.data<double>()), buffer.address());
    EXPECT_LT(device_->free_memory(), before - size / 2);
    const DeviceBuffer moved = std::move(buffer);
    EXPECT_EQ(moved.bytes(), size);
    EXPECT_EQ(buffer.bytes(), 0U);  // NOLINT: what was moved from owns nothing
  }
  EXPECT_GT(device_->free_memory(), before - size / 2);  // others may take some meanwhile
  EXPECT_EQ(DeviceBuffer(0).address(), 0U);
  EXPECT_EQ(PinnedBuffer(0).data<char>(), nullptr);
  EXPECT_EQ(PinnedBuffer(100).bytes(), 100U);
}

TEST_F(OnADevice, SaysWhenMemoryIsOut) {
  const std::size_t much = 2 * device_->info().total_memory;
  EXPECT_THROW(DeviceBuffer{much}, OutOfMemory);
  const std::string message = error_of([&] { DeviceBuffer{much}; }).what();
  EXPECT_TRUE(has(message, std::to_string(much) + " bytes") && has(message, "CUDA_ERROR_OUT_OF_MEMORY")) << message;
}

TEST_F(OnADevice, RunsAKernelBetweenStreams) {
  const Module module(compile({"twice.cu",
                               "extern \"C\" __device__ long answer = 42;\n"
                               "extern \"C\" __global__ void twice(double* x) { x[threadIdx.x] *= 2; }",
                               {"--gpu-architecture=" + device_->info().architecture()}}));
  const Stream up;
  const Stream work;
  const Event copied;
  PinnedBuffer host(100 * sizeof(double));
  std::iota(host.data<double>(), host.data<double>() + 100, 0.0);
  DeviceBuffer device(host.bytes());
  check(driver().cuMemcpyHtoDAsync(device.address(), host.data<void>(), host.bytes(), up.get()), "copying up");
  copied.record(up);
  work.wait(copied);
  double* x = device.data<double>();
  std::array<void*, 1> arguments = {&x};
  const CUfunction twice = module.function("twice");
  check(driver().cuLaunchKernel(twice, 1, 1, 1, 100, 1, 1, 0, work.get(), arguments.data(), nullptr), "doubling");
  check(driver().cuMemcpyDtoHAsync(host.data<void>(), device.address(), host.bytes(), work.get()), "copying down");
  const Event done;
  done.record(work);
  done.synchronize();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(host.data<double>()[i], 2.0 * i);

  const Global answer = module.global("answer");
  ASSERT_EQ(answer.bytes, sizeof(long));
  long value = 0;
  check(driver().cuMemcpyDtoHAsync(&value, answer.address, answer.bytes, work.get()), "asking");
  work.synchronize();
  EXPECT_EQ(value, 42);
}

TEST_F(OnADevice, MeasuresTheTimeBetweenEvents) {
  const Stream stream;
  const Event first(Event::Kind::timing);
  const Event last(Event::Kind::timing);
  const Event untimed;
  const DeviceBuffer memory(1 << 20);
  first.record(stream);
  check(driver().cuMemsetD8Async(memory.address(), 1, memory.bytes(), stream.get()), "clearing memory");
  last.record(stream);
  untimed.record(stream);
  stream.synchronize();
  EXPECT_GT(last.seconds_since(first), 0);
  EXPECT_LT(last.seconds_since(first), 10);
  EXPECT_THROW(untimed.seconds_since(first), Error);
}

TEST_F(OnADevice, NamesWhatAModuleLacks) {
  const Module module(compile({"nothing.cu",
                               "extern \"C\" __global__ void nothing() {}",
                               {"--gpu-architecture=" + device_->info().architecture()}}));
  const Error kernel = error_of([&] { module.function("absent"); });
  EXPECT_EQ(kernel.code(), ExitCode::internal_error);
  EXPECT_TRUE(has(kernel.what(), "finding the kernel absent: CUDA_ERROR_NOT_FOUND")) << kernel.what();
  EXPECT_TRUE(has(error_of([&] { module.global("absent"); }).what(), "finding the variable absent"));
}

TEST_F(OnADevice, RefusesWhatIsNoCubin) {
  EXPECT_TRUE(has(error_of([] { Module(std::vector<char>()); }).what(), "the cubin is empty"));
  std::vector<char> text(4096, 'x');
  text.back() = '\0';  // a driver may take it for source
  const Error error = error_of([&] { Module{text}; });
  EXPECT_EQ(error.code(), ExitCode::no_backend);
  EXPECT_TRUE(has(error.what(), "into driver " + driver_version())) << error.what();
}

}  // namespace
}  // namespace kalaba::cuda
