#pragma once

#include <string>
#include <vector>

namespace kalaba::cuda {

/// A program for the run-time compiler. It includes embedded headers by their names (embedded_headers.hpp).
struct Source {
  std::string name;                  ///< in the compiler's messages
  std::string text;                  ///< CUDA C++
  std::vector<std::string> options;  ///< NVRTC's, among them the architecture: "--gpu-architecture=sm_90"
};

/// Reason why nothing can be compiled; empty if NVRTC 12.0 or later was found (library_places.hpp lists the places).
const std::string& compiler_problem();
/// "NVRTC 13.0". Throws Error(no_backend) if there is no compiler.
const std::string& compiler_version();
/// Returns a text that differs between compilers that may generate different code: version and build id. Throws
/// Error(no_backend) if there is no compiler.
const std::string& compiler_identity();

/// Path of the compiler's library. Throws Error(no_backend) if there is no compiler.
const std::string& compiler_file();

/// Compiles a program to a cubin, in a child process, because some versions of NVRTC crash on some programs. Throws
/// Error(no_backend) if there is no compiler, if it does not support the architecture or if it crashes; and
/// Error(internal_error) if the program does not compile or the options name no real architecture. The message contains
/// the compiler's whole log.
std::vector<char> compile(const Source& source);

struct Compiled {
  std::vector<char> cubin;
  std::string log;  ///< warnings, and the assembler's report if the options request it
};
/// As `compile`, but also returns the compiler's log.
Compiled compile_with_log(const Source& source);

}  // namespace kalaba::cuda
