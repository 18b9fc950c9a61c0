#pragma once

#include <stdexcept>
#include <string>

namespace kalaba {

/// Exit codes of the command line; every Error has one.
enum class ExitCode : int {
  ok = 0,
  members_failed = 1,   ///< the run finished, but some members failed
  bad_input = 2,        ///< command line, scenario or model
  file_error = 3,       ///< a file that cannot be read or written
  no_backend = 4,       ///< the requested backend is not available
  internal_error = 70,  ///< an internal fault of Kalaba
  interrupted = 130,
};

/// Error with the message that the command line prints, and its exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Error for a model of more operations than are compiled.
class TooManyOperations : public Error {
 public:
  using Error::Error;
};

/// Throws Error(ExitCode::bad_input).
[[noreturn]] inline void refuse_input(const std::string& message) { throw Error(ExitCode::bad_input, message); }

}  // namespace kalaba
