#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "support/error_of.hpp"
#include "support/has.hpp"

namespace kalaba::cuda {

using test::error_of;

/// Sets an environment variable of the emulation (environment.hpp there) during its lifetime.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Setting() { ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

class WithADriver : public testing::Test {
 protected:
  void SetUp() override {
    if (!driver_problem().empty()) GTEST_SKIP() << driver_problem();
  }
};

/// Faults that cannot be caused on a real GPU.
class WithAnEmulatedDriver : public WithADriver {
 protected:
  void SetUp() override {
    WithADriver::SetUp();
    if (!IsSkipped() && !has(device_info(0).name, "Emulated")) GTEST_SKIP() << "this is a real GPU";
  }
};

}  // namespace kalaba::cuda
