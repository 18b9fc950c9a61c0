#pragma once

#include <algorithm>

#include "backend/backends.hpp"
#include "kalaba/ensemble.hpp"

namespace kalaba::test {

/// Systems that are compiled every way tests have them move: redundant rows and rows of differing rank, two driven
/// coordinates, quasi-velocities, loops through singular positions.
inline bool is_compiled_every_way(const System& system) {
  constexpr const char* some[] = {"two_particles_incline", "logarithmic_spiral", "rolling_disk", "four_bar_windows",
                                  "chain_redundant"};
  return system.info.rates.size() <= 8 && std::ranges::find(some, system.info.name) != std::end(some);
}

/// Whether the options say no other way to move than the system's own.
inline bool is_own_way(const System& system, const Options& options) {
  Options own = default_options(system);
  own.backend = options.backend;
  return options.precision == own.precision && options.method.integrator == own.method.integrator &&
         options.method.stabilization.kind == own.method.stabilization.kind &&
         choose_pseudo_inverse(system, options) == choose_pseudo_inverse(system, own);
}

/// The options, for the cpu by code that many tests can afford. Each way to move is a program of its own, which takes
/// the compiler seconds: of most systems that of their own options is compiled, and others are interpreted on packs,
/// by the same loops of the core, where this build can.
inline Options with_affordable_code(const System& system, Options options) {
  if (options.backend != Backend::cpu || is_compiled_every_way(system) || is_own_way(system, options)) return options;
  Options interpreted = options;
  interpreted.compile = Compile::never;
  return choose_backend(system, interpreted).interpreted ? interpreted : options;
}

}  // namespace kalaba::test
