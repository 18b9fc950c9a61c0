// Streams of the emulated driver: work without a defined order is not executed in the order of the calls.

#include "emulated_gpu.hpp"

namespace kalaba::test {

namespace {

/// Both timings: as late as permitted, and immediately, concurrently with the caller.
class Streams : public EmulatedGpu, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    setenv("KALABA_EMULATED_TIMING", GetParam(), 1);
    EmulatedGpu::SetUp();
  }
  void TearDown() override {
    EmulatedGpu::TearDown();
    unsetenv("KALABA_EMULATED_TIMING");
  }

  /// One stream slowly overwrites 0 by 1, a second stream copies from there.
  double seen_by_second_stream(bool wait) {
    const CUfunction write = kernel(R"(
extern "C" __global__ void write(double* x, long turns) {
  volatile double sum = 0;
  for (long i = 0; i < turns; ++i) sum = sum + 1;
  *x = sum / turns;
})",
                                    "write");
    const CUdeviceptr x = copied({0.0});
    const CUstream first = new_stream();
    const CUstream second = new_stream();
    CUevent written = nullptr;
    create_event(&written, CU_EVENT_DISABLE_TIMING);
    launch(write, 1, 1, 0, first, x, 200'000'000L);
    record(written, first);
    if (wait) wait_event(second, written, 0);
    const double seen = host(x, 1, second)[0];
    synchronize(first);
    return seen;
  }
};

#if !defined(__SANITIZE_THREAD__)
TEST_P(Streams, WithoutAWaitRunBesideEachOther) { EXPECT_EQ(seen_by_second_stream(false), 0); }
#else
TEST_P(Streams, WithoutAWaitRaceWithEachOther) {
  if (GetParam() == std::string("late")) GTEST_SKIP() << "the streams take turns, so nothing can be seen";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        seen_by_second_stream(false);
        std::exit(0);
      },
      testing::ExitedWithCode(66), "data race");
}
#endif

TEST_P(Streams, WithAWaitAreOrdered) { EXPECT_EQ(seen_by_second_stream(true), 1); }

/// Recorded work is executed only when the graph is launched, once per launch.
TEST_P(Streams, DoRecordedWorkWhenItIsLaunched) {
  const CUfunction add = kernel("extern \"C\" __global__ void add(double* x) { *x += 1; }", "add");
  const CUdeviceptr x = copied({0.0});
  const CUstream stream = new_stream();
  const auto begin = cu<decltype(cuStreamBeginCapture)>("cuStreamBeginCapture_v2");
  const auto end = cu<decltype(cuStreamEndCapture)>("cuStreamEndCapture");
  const auto instantiate = cu<decltype(cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  const auto destroy = cu<decltype(cuGraphDestroy)>("cuGraphDestroy");
  const auto replay = cu<decltype(cuGraphLaunch)>("cuGraphLaunch");
  const auto destroy_executable = cu<decltype(cuGraphExecDestroy)>("cuGraphExecDestroy");
  CUgraph graph = nullptr;
  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  EXPECT_EQ(launch(add, 1, 1, 0, stream, x), CUDA_SUCCESS);
  ASSERT_EQ(end(stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ(host(x, 1, stream)[0], 0);
  CUgraphExec executable = nullptr;
  ASSERT_EQ(instantiate(&executable, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(destroy(graph), CUDA_SUCCESS);
  for (const double times : {1.0, 2.0}) {
    EXPECT_EQ(replay(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(host(x, 1, stream)[0], times);
  }
  EXPECT_EQ(destroy_executable(executable), CUDA_SUCCESS);

  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  EXPECT_EQ(synchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(host(x, 1, stream)[0], 2);
}

TEST_P(Streams, CopyWhenTheyGetThere) {
  const CUdeviceptr x = copied({0.0});
  const CUstream stream = new_stream();
  const CUstream busy = new_stream();
  CUevent event = nullptr;
  create_event(&event, 0);
  const std::vector<char> zeros(64 << 20);
  const CUdeviceptr much = device(zeros.size());
  to_device(much, zeros.data(), zeros.size(), busy);
  record(event, busy);
  wait_event(stream, event, 0);
  double value = 1;
  to_device(x, &value, sizeof value, stream);
#if !defined(__SANITIZE_THREAD__)  // which would rightly object
  value = 2;                       // too early: the copy has not been waited for
  EXPECT_EQ(host(x, 1, stream)[0], 2);
#endif
  EXPECT_EQ(synchronize(stream), CUDA_SUCCESS);
}

TEST_P(Streams, EventsSayWhenAPointIsReached) {
  const CUdeviceptr x = copied({4.0});
  const CUstream stream = new_stream();
  double value = 0;
  to_host(&value, x, sizeof value, stream);
  CUevent copied = nullptr;
  create_event(&copied, 0);
  EXPECT_EQ(synchronize_event(copied), CUDA_SUCCESS) << "never recorded";
  record(copied, stream);
  EXPECT_EQ(synchronize_event(copied), CUDA_SUCCESS);
  EXPECT_EQ(value, 4);
}

TEST_P(Streams, RunOnTwoDevices) {
  const Setting devices("KALABA_EMULATED_DEVICES", "2");
  const CUstream stream = new_stream();
  const CUdeviceptr x = copied({4.0});
  CUcontext other = nullptr;
  ASSERT_EQ(retain(&other, 1), CUDA_SUCCESS);
  ASSERT_EQ(set_current(other), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(synchronize(stream), CUDA_ERROR_INVALID_CONTEXT);
  const CUstream own = new_stream();
  EXPECT_EQ(fill(x, 0, 8, own), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(free(x), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("of another context"), std::string::npos);
  EXPECT_EQ(destroy_stream(own), CUDA_SUCCESS);
  EXPECT_EQ(release(1), CUDA_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Timing, Streams, testing::Values("late", "early"),
                         [](const auto& timing) { return std::string(timing.param); });

}  // namespace

}  // namespace kalaba::test
