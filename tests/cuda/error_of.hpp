#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kalaba/error.hpp"

namespace kalaba::cuda {

/// Error that the call throws; fails the test if it throws nothing.
template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an Error";
  return Error(ExitCode::ok, "");
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace kalaba::cuda
