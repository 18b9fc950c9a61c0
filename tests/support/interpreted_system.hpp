#pragma once

#include "kalaba/kalaba.hpp"

namespace kalaba::test {

/// The system's default options, interpreted: tests with their own models avoid the compilation.
inline Options interpreted_options(const System& system) {
  Options options = default_options(system);
  options.compile = Compile::never;
  return options;
}

/// Sets the integrator of such options. An integrator without interpreted loops is compiled on the backend `cpu`.
inline void set_integrator(Options& options, Integrator integrator) {
  options.method.integrator = integrator;
  if (facts_of(integrator).uses_slopes) options.compile = Compile::automatic;
}

}  // namespace kalaba::test
