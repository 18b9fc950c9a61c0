// Driver functions: on a GPU if there is one, and always on an emulated one (emulation/).

#include "backend/cuda/driver.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "backend/cuda/memory.hpp"
#include "driver_help.hpp"

namespace kalaba::cuda {
namespace {

/// Run by the tests below, in a process that has not loaded the driver.
TEST(InAnotherProcess, DISABLED_SaysWhatDriverThrows) {
  try {
    driver();
    std::puts("it can be used");
  } catch (const Error& error) {
    std::printf("%d: %s\n", static_cast<int>(error.code()), error.what());
    EXPECT_EQ(driver_problem(), error.what());
  }
}

/// Message of the Error that `driver` throws in a new process.
std::string in_a_new_process() {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "'" + self + "' --gtest_filter='InAnotherProcess.*' --gtest_also_run_disabled_tests";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "the process did not start";
  std::string output;
  std::array<char, 256> part = {};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) output += part.data();
  return ::pclose(pipe) == 0 ? output : "the process failed: " + output;
}

TEST(TheDriver, SaysHowToGetOneWhereThereIsNone) {
  if (driver_problem().empty()) GTEST_SKIP() << "there is a driver here";
  const Error error = error_of([] { driver(); });
  EXPECT_EQ(error.code(), ExitCode::no_backend);
  EXPECT_EQ(error.what(), driver_problem());
  EXPECT_TRUE(has(driver_problem(), "CUDA 12.0 or later")) << driver_problem();
  EXPECT_THROW(device_ordinals({}), Error);
  EXPECT_THROW(Stream(), Error);
}

TEST_F(WithAnEmulatedDriver, IsRefusedWhereItIsTooOld) {
  const Setting old("KALABA_EMULATED_FAULT", "old_driver");
  const std::string output = in_a_new_process();
  EXPECT_TRUE(has(output, "4: ") && has(output, "is for CUDA 11.8") && has(output, "CUDA 12.0 or later")) << output;
}

TEST_F(WithAnEmulatedDriver, IsRefusedInItsOwnWordsWhereItDoesNotStart) {
  const Setting none("KALABA_EMULATED_FAULT", "no_driver_init");
  const std::string output = in_a_new_process();
  EXPECT_TRUE(has(output, "4: ") && has(output, "CUDA_ERROR_NO_DEVICE: ")) << output;
}

TEST_F(WithAnEmulatedDriver, IsRefusedWhereItHasNoDevice) {
  const Setting none("KALABA_EMULATED_DEVICES", "0");
  const std::string output = in_a_new_process();
  EXPECT_TRUE(has(output, "4: ") && has(output, "finds no device")) << output;
}

TEST_F(WithADriver, TellsWhatWasBeingDoneAndCudasWords) {
  EXPECT_NO_THROW(check(CUDA_SUCCESS, "nothing"));
  const auto code = [](CUresult result) { return error_of([&] { check(result, "trying"); }).code(); };
  EXPECT_EQ(code(CUDA_ERROR_DEVICE_UNAVAILABLE), ExitCode::no_backend);
  EXPECT_EQ(code(CUDA_ERROR_NO_DEVICE), ExitCode::no_backend);
  EXPECT_EQ(code(CUDA_ERROR_ILLEGAL_ADDRESS), ExitCode::internal_error);
  EXPECT_EQ(code(CUDA_ERROR_LAUNCH_FAILED), ExitCode::internal_error);
  EXPECT_EQ(code(CUDA_ERROR_LAUNCH_TIMEOUT), ExitCode::internal_error);
  EXPECT_THROW(check(CUDA_ERROR_OUT_OF_MEMORY, "trying"), OutOfMemory);
  const std::string message = error_of([] { check(CUDA_ERROR_ILLEGAL_ADDRESS, "stepping members"); }).what();
  EXPECT_TRUE(message.starts_with("cuda: stepping members: CUDA_ERROR_ILLEGAL_ADDRESS: ")) << message;
  const std::string unknown = error_of([] { check(static_cast<CUresult>(99999), "trying"); }).what();
  EXPECT_TRUE(has(unknown, "99999")) << unknown;
}

}  // namespace
}  // namespace kalaba::cuda
