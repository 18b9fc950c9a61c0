#pragma once

#include <string>
#include <vector>

namespace kalaba::cuda {

/// A program for the compiler at run time. It includes embedded headers by their names (embedded_headers.hpp).
struct Source {
  std::string name;                  ///< in the compiler's messages
  std::string text;                  ///< CUDA C++
  std::vector<std::string> options;  ///< NVRTC's, among them the architecture: "--gpu-architecture=sm_90"
};

/// Why nothing can be compiled; empty where NVRTC 12.0 or later was found: where the loader looks, under
/// /usr/local/cuda, or under $CUDA_HOME or $CUDA_PATH.
const std::string& compiler_problem();
/// "NVRTC 13.0". Throws Error(no_backend) where there is no compiler.
const std::string& compiler_version();
/// What tells the compiler from any other that would compile differently: a text for hashing. Throws Error(no_backend)
/// where there is no compiler.
const std::string& compiler_identity();

/// The cubin of a program. Throws Error(no_backend) where there is no compiler, or the one that is here cannot compile
/// for that architecture; and Error(internal_error) where the program does not compile or the options ask for no real
/// architecture. The message holds the compiler's whole log.
std::vector<char> compile(const Source& source);

struct Compiled {
  std::vector<char> cubin;
  std::string log;  ///< warnings, and the assembler's report where the options ask for it
};
/// As `compile`, with the compiler's log.
Compiled compile_with_log(const Source& source);

}  // namespace kalaba::cuda
