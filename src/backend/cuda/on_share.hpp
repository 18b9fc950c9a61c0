#pragma once

#include <string>

#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "kalaba/block.hpp"

namespace kalaba::cuda {

/// Does `work` for one device's share of a block; an error names the system, the block's members and the device.
template <class Work>
void on_share(const std::string& system, const Block& block, const Device& device, const Work& work) {
  const auto told = [&](const Error& error) {
    return system + ", members " + std::to_string(block.first) + " to " +
           std::to_string(block.first + block.members - 1) + ", on " + device.info().name + ": " + error.what();
  };
  try {
    work();
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(told(error));
  } catch (const Error& error) {
    throw Error(error.code(), told(error));
  }
}

}  // namespace kalaba::cuda
