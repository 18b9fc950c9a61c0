#pragma once

#include <limits>
#include <memory>
#include <string>

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Origin of a model's machine code, or the reason why there is none.
struct CompileReport {
  std::string compiler;   ///< "g++ 12.2.0"; empty if there is none
  double seconds = 0;     ///< time to compile or read the code
  bool cached = false;    ///< the code was read from the cache
  bool linked = false;    ///< the model's source is linked into the program
  bool is_quick = false;  ///< compiled with few optimisations, for a short run
  std::string path;       ///< path of the kept object; empty if it could not be kept
  std::string problem;    ///< reason why there is no code; else empty
  std::string note;       ///< reason why nothing is kept; else empty

  /// One line: "bead: compiled by g++ 12.2.0 in 1.8 s (kept in ~/.cache/kalaba)".
  std::string text(const std::string& system) const;
};

/// Properties of a run that decide how its model is compiled.
struct CompileBounds {
  int most_operations = std::numeric_limits<int>::max();  ///< a model of more operations is not compiled
  /// Estimated time of the run. For less than 0.3 s, together with earlier runs of the process, the model is compiled
  /// with few optimisations: in a third of the time, to code that takes up to five times as long to the same bits.
  double seconds = std::numeric_limits<double>::infinity();
};

/// Returns the options with the pseudo-inverse for which the model is compiled. For a single row all pseudo-inverses
/// are the same division, so that they share one program.
Options as_compiled(const System& system, Options options);

/// Returns a CPU runner of a model compiled for exactly these options; null if this fails, with the reason in
/// report.problem. An object that was compiled before is read from the cache. Never throws
/// because of compilers or folders; throws Error(ExitCode::interrupted) where interruption_is_requested().
std::unique_ptr<Runner> compile_runner(const System& system, const Options& options, CompileReport& report,
                                       const CompileBounds& bounds = {});
std::unique_ptr<Runner> compile_runner(const DeviceCode& model, const Options& options, CompileReport& report,
                                       const CompileBounds& bounds = {});

/// Compiles a model with numbers that count the operations done with them: for a block of one member, in double
/// precision, on one thread. The runner is null if the model does not compile.
struct CountingRunner {
  std::unique_ptr<Runner> runner = nullptr;
  Operations* operations = nullptr;  ///< counted so far
};
CountingRunner compile_counting_runner(const System& system, const Options& options);

}  // namespace kalaba
