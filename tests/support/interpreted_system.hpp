#pragma once

#include "kalaba/kalaba.hpp"

namespace kalaba::test {

/// The system's default options, interpreted: tests with their own models avoid the compilation.
inline Options interpreted_options(const System& system) {
  Options options = default_options(system);
  options.compile = Compile::never;
  return options;
}

}  // namespace kalaba::test
