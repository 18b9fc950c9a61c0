#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// A C++ compiler of this machine.
struct HostCompiler {
  std::vector<std::string> words;  ///< the command: "g++", or "ccache", "clang++"
  std::string name;                ///< "g++ 12.2.0"
  std::string identity;            ///< differs between compilers that may generate different code: for hashing
  std::vector<std::string> flags;  ///< flags to compile a model, and then the words of $KALABA_CXXFLAGS
  bool is_gcc = false;
};

/// A compiler, or the reason why there is none.
struct FoundCompiler {
  HostCompiler compiler;
  std::string problem;  ///< empty if there is a compiler
};

/// Compiler that the host application provides for machines without one.
struct SpareCompiler {
  std::vector<std::string> words;  ///< the command; empty if there is none
  std::string advice;              ///< how to obtain a compiler, for messages
};

/// Replaces the spare compiler that was set before.
void set_spare_compiler(SpareCompiler spare);

/// Returns the first working compiler of: $KALABA_CXX (a command with its words; if it is set, no other is tried), the
/// compiler that built the library, clang++, g++, the spare one. Searches again in every call, which takes some
/// milliseconds.
FoundCompiler find_compiler();

}  // namespace kalaba
