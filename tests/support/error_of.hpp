#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kalaba/error.hpp"

namespace kalaba::test {

/// Returns the Error that the call throws; fails the test, at the caller's line, if it throws none.
template <class Call>
Error error_of(const Call& call, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE_AT(file, line) << "expected an Error";
  return Error(ExitCode::ok, "");
}

/// Returns the message of the Error that the call throws, which must have this exit code; empty if it throws none.
template <class Call>
std::string message_of(const Call& call, ExitCode code = ExitCode::bad_input, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  try {
    call();
  } catch (const Error& error) {
    if (error.code() != code) {
      ADD_FAILURE_AT(file, line) << "expected exit code " << static_cast<int>(code) << ", found "
                                 << static_cast<int>(error.code()) << ": " << error.what();
    }
    return error.what();
  }
  return "";
}

}  // namespace kalaba::test
