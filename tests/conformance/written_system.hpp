#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <typeinfo>

#include "formula/recorded_code.hpp"
#include "kalaba/describe_system.hpp"

namespace kalaba::conformance {

/// The system of a model that a header of the tests states; compiled when it runs, for the method asked for alone, or
/// interpreted.
template <class M>
System written_system(const std::string& header, const std::string& more_headers = "") {
  char* const name = abi::__cxa_demangle(typeid(M).name(), nullptr, nullptr, nullptr);
  const std::string type = name;
  std::free(name);
  System system = describe_system<M>(
      {more_headers + "#include \"" + KALABA_SOURCE_DIR + "/tests/conformance/" + header + "\"\n", type});
  system.interpreted = &formula::recorded_instructions<M>;
  return system;
}

}  // namespace kalaba::conformance
