#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/cuda/compiler.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "kalaba/error.hpp"

namespace kalaba::cuda {

/// Options for programs whose machine code is not inspected: with few optimisations if the compiler has the option.
/// (Without any, by --device-debug, the assembler takes longer.)
inline std::vector<std::string> quick_options() {
  const std::vector<std::string> plain = compiler_options("sm_90");
  std::vector<std::string> quick = plain;
  quick.emplace_back("--Ofast-compile=max");
  try {
    compile({"probe", "extern \"C\" __global__ void probe() {}", quick});
    return quick;
  } catch (const Error&) {  // a compiler before CUDA 12.8, or none
    return plain;
  }
}

/// Compiles programs; skips the test if there is no compiler for them.
inline void expect_read(const std::vector<std::string>& texts) {
  if (const std::string& problem = compiler_problem(); !problem.empty()) GTEST_SKIP() << problem;
  for (const std::string& text : texts) EXPECT_FALSE(compile({"read.cu", text, quick_options()}).empty());
}

}  // namespace kalaba::cuda
