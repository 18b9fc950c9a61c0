#pragma once

#include <stdexcept>
#include <string>

namespace kalaba {

/// Exit codes of the command line; an Error carries the one it ends with.
enum class ExitCode : int {
  ok = 0,
  members_failed = 1,   ///< the run finished, but some members failed
  bad_input = 2,        ///< command line, scenario or model
  file_error = 3,       ///< a file that cannot be read or written
  no_backend = 4,       ///< the backend asked for is not here
  internal_error = 70,  ///< a fault of Kalaba itself
  interrupted = 130,
};

/// What went wrong, in the words that the command line prints, and the exit code that goes with it.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Throws Error(ExitCode::bad_input).
[[noreturn]] inline void refuse_input(const std::string& message) { throw Error(ExitCode::bad_input, message); }

}  // namespace kalaba
