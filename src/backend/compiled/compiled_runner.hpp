#pragma once

#include <limits>
#include <memory>
#include <string>

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Origin of a model's machine code, or the reason why there is none.
struct CompileReport {
  std::string compiler;  ///< "g++ 12.2.0"; empty if there is none
  double seconds = 0;    ///< time to compile or read the code
  bool cached = false;   ///< the code was read from the cache
  bool linked = false;   ///< the model's source is linked into the program
  std::string path;      ///< path of the kept object; empty if it could not be kept
  std::string problem;   ///< reason why there is no code; else empty
  std::string note;      ///< reason why nothing is kept; else empty

  /// One line: "bead: compiled by g++ 12.2.0 in 1.8 s (kept in ~/.cache/kalaba)".
  std::string text(const std::string& system) const;
};

/// Returns the options with the pseudo-inverse for which the model is compiled. For a single row all pseudo-inverses
/// are the same division, so that they share one program.
Options as_compiled(const System& system, Options options);

/// Returns a CPU runner of a model compiled for exactly these options; null if this fails, with the reason in
/// report.problem. An object that was compiled before is read from the cache. A model of more operations than
/// `most_operations` is a failure. Never throws because of compilers or folders.
std::unique_ptr<Runner> compile_runner(const System& system, const Options& options, CompileReport& report,
                                       int most_operations = std::numeric_limits<int>::max());
std::unique_ptr<Runner> compile_runner(const DeviceCode& model, const Options& options, CompileReport& report,
                                       int most_operations = std::numeric_limits<int>::max());

/// Compiles a model with numbers that count the operations done with them: for a block of one member, in double
/// precision, on one thread. The runner is null if the model does not compile.
struct CountingRunner {
  std::unique_ptr<Runner> runner = nullptr;
  Operations* operations = nullptr;  ///< counted so far
};
CountingRunner compile_counting_runner(const System& system, const Options& options);

}  // namespace kalaba
