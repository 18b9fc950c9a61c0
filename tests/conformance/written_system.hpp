#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <typeinfo>

#include "kalaba/describe_system.hpp"

namespace kalaba::conformance {

/// The system of a model that a header of the tests states; compiled when it runs, for the method asked for alone.
template <class M>
System written_system(const std::string& header, const std::string& more_headers = "") {
  char* const name = abi::__cxa_demangle(typeid(M).name(), nullptr, nullptr, nullptr);
  const std::string type = name;
  std::free(name);
  return describe_system<M>(
      {more_headers + "#include \"" + KALABA_SOURCE_DIR + "/tests/conformance/" + header + "\"\n", type});
}

}  // namespace kalaba::conformance
