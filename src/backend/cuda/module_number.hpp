#pragma once

#include <string>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/memory.hpp"

namespace kalaba::cuda {

/// Returns a global `long` of a module. Waits for the device.
inline long number_of(const Module& module, const std::string& name) {
  long number = 0;
  const Stream stream;
  check(driver().cuMemcpyDtoHAsync(&number, module.global(name).address, sizeof number, stream.get()),
        "reading the variable " + name);
  stream.synchronize();
  return number;
}

}  // namespace kalaba::cuda
