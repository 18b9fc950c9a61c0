#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// A C++ compiler of this machine.
struct HostCompiler {
  std::vector<std::string> words;  ///< the command: "g++", or "ccache", "clang++"
  std::string name;                ///< "g++ 12.2.0"
  std::string identity;            ///< what tells it from any other that would compile differently: for hashing
  std::vector<std::string> flags;  ///< what a model is compiled with, and then the words of $KALABA_CXXFLAGS
  bool is_gcc = false;
};

/// A compiler, or why there is none.
struct FoundCompiler {
  HostCompiler compiler;
  std::string problem;  ///< empty where there is one
};

/// What a host of the library has for machines without a compiler.
struct SpareCompiler {
  std::vector<std::string> words;  ///< the command; empty where there is none
  std::string advice;              ///< how to come by one, for messages
};

/// Takes the place of what was set before.
void set_spare_compiler(SpareCompiler spare);

/// The first that runs of: $KALABA_CXX (a command with its words; where it is set, no other is tried), the compiler
/// that the library was built with, clang++, g++, the spare one. Looked for anew each time, in some milliseconds.
FoundCompiler find_compiler();

}  // namespace kalaba
