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

/// Why nothing can be compiled; empty where NVRTC 12.0 or later was found (library_places.hpp lists the places).
const std::string& compiler_problem();
/// "NVRTC 13.0". Throws Error(no_backend) where there is no compiler.
const std::string& compiler_version();
/// Text that differs between compilers that may compile differently: version and build id. Throws Error(no_backend)
/// where there is no compiler.
const std::string& compiler_identity();

/// Path of the compiler's library. Throws Error(no_backend) where there is no compiler.
const std::string& compiler_file();

/// Compiles a program to a cubin, in a child process, because some versions of NVRTC crash on some programs. Throws
/// Error(no_backend) where there is no compiler, where it cannot compile for that architecture or where it crashes; and
/// Error(internal_error) where the program does not compile or the options name no real architecture. The message holds
/// the compiler's whole log.
std::vector<char> compile(const Source& source);

struct Compiled {
  std::vector<char> cubin;
  std::string log;  ///< warnings, and the assembler's report if the options request it
};
/// As `compile`, with the compiler's log.
Compiled compile_with_log(const Source& source);

}  // namespace kalaba::cuda
