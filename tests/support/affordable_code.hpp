#pragma once

#include <algorithm>

#include "backend/backends.hpp"
#include "backend/interpreted/interpreted_runner.hpp"
#include "kalaba/ensemble.hpp"
#include "support/families.hpp"

namespace kalaba::test {

/// Systems that are compiled for every combination of options that tests use: rows of deficient rank, two driven
/// coordinates, quasi-velocities.
inline bool is_compiled_every_way(const System& system) {
  constexpr const char* some[] = {"two_particles_incline", "logarithmic_spiral", "rolling_disk"};
  return std::ranges::find(some, system.info.name) != std::end(some);
}

/// Returns true if the options select the system's own integrator and method, and its size is one that tests compile:
/// the first or the largest of its family, because sizes in between use the same code.
inline bool is_compiled_way(const System& system, const Options& options) {
  Options own = default_options(system);
  own.backend = options.backend;
  const bool is_between = !is_first(system) && !is_largest(system);
  if (is_between || options.precision != own.precision || options.method.integrator != own.method.integrator ||
      options.method.stabilization.kind != own.method.stabilization.kind) {
    return false;
  }
  return options.method.pseudo_inverse == own.method.pseudo_inverse ||
         choose_pseudo_inverse(system, options) == choose_pseudo_inverse(system, own);
}

/// Options for the cpu backend with code that many tests can afford. Each combination of options is compiled
/// separately: seconds, up to a minute for many constraints. For most systems only their own options are compiled;
/// other options are interpreted on packs, by the same loops of the core, if this build supports it.
inline Options with_affordable_code(const System& system, Options options) {
  if (options.backend != Backend::cpu || is_compiled_every_way(system) || is_compiled_way(system, options)) {
    return options;
  }
  Options interpreted = options;
  interpreted.compile = Compile::never;
  return choose_backend(system, interpreted).interpreted ? interpreted : options;
}

/// Returns true if the compilation of that code takes seconds rather than a minute. Fast, for lists of tests.
inline bool is_affordable(const System& system, const Options& options) {
  if (options.backend != Backend::cpu || system.info.rates.size() <= 4 || is_compiled_every_way(system)) return true;
  if (may_be_interpreted(system, options)) return true;
  return options.method.pseudo_inverse == PseudoInverse::automatic && is_compiled_way(system, options);
}

}  // namespace kalaba::test
