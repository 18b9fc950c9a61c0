#pragma once

#include <string>
#include <vector>

#include "backend/cuda/compiler.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "kalaba/error.hpp"

namespace kalaba::cuda {

/// Options for a program that is not inspected; compiles in a quarter of the time if the compiler supports them.
inline std::vector<std::string> quick_options() {
  const std::vector<std::string> plain = compiler_options("sm_90");
  std::vector<std::string> quick = plain;
  quick.emplace_back("--Ofast-compile=mid");
  try {
    compile({"probe", "extern \"C\" __global__ void probe() {}", quick});
    return quick;
  } catch (const Error&) {  // a compiler before CUDA 12.8, or none
    return plain;
  }
}

}  // namespace kalaba::cuda
