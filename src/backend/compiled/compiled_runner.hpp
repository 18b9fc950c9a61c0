#pragma once

#include <memory>
#include <string>

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// How a model came to its machine code, or why it did not.
struct CompileReport {
  std::string compiler;  ///< "g++ 12.2.0"; empty where there is none
  double seconds = 0;    ///< that it took to have the code, compiled or read
  bool cached = false;   ///< it was compiled before
  bool linked = false;   ///< its source is linked into the program
  std::string path;      ///< of the kept object; empty where it could not be kept
  std::string problem;   ///< why there is no code; empty where there is
  std::string note;      ///< why nothing is kept; empty where it is

  /// One line: "bead: compiled by g++ 12.2.0 in 1.8 s (kept in ~/.cache/kalaba)".
  std::string text(const std::string& system) const;
};

/// The options with the pseudo-inverse that the model is compiled with. For a single row all pseudo-inverses are the
/// same division, and one program serves them.
Options as_compiled(const System& system, Options options);

/// A runner of a model compiled for exactly these options, on the CPU; null where report.problem says why not. An
/// object that was compiled before is read from the cache. Never throws for what compilers and folders do.
std::unique_ptr<Runner> compile_runner(const System& system, const Options& options, CompileReport& report);
std::unique_ptr<Runner> compile_runner(const DeviceCode& model, const Options& options, CompileReport& report);

/// The same of numbers that count what is done with them: of a block of one member, in double precision, by one thread.
/// Null where the model does not compile.
struct CountingRunner {
  std::unique_ptr<Runner> runner = nullptr;
  Operations* operations = nullptr;  ///< so far
};
CountingRunner compile_counting_runner(const System& system, const Options& options);

}  // namespace kalaba
