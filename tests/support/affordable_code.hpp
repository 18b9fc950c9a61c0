#pragma once

#include <algorithm>

#include "backend/backends.hpp"
#include "backend/interpreted/interpreted_runner.hpp"
#include "kalaba/ensemble.hpp"

namespace kalaba::test {

/// Systems that are compiled every way tests have them move: rows of deficient rank, two driven coordinates,
/// quasi-velocities, loops through singular positions.
inline bool is_compiled_every_way(const System& system) {
  constexpr const char* some[] = {"two_particles_incline", "logarithmic_spiral", "rolling_disk", "four_bar_windows"};
  return system.info.rates.size() <= 8 && std::ranges::find(some, system.info.name) != std::end(some);
}

/// Whether it is neither the first nor the largest size of its family: the same code between others.
inline bool is_between_sizes(const System& system) {
  const auto is_of_family = [&](const System& other) { return other.info.name == system.info.name; };
  const auto is_larger = [&](const System& other) {
    return is_of_family(other) && other.info.rates.size() > system.info.rates.size();
  };
  const auto first = std::ranges::find_if(catalogue(), is_of_family);
  return first != catalogue().end() && &*first != &system && std::ranges::any_of(catalogue(), is_larger);
}

/// Whether the options say no other way to move than the system's own, of a size that tests compile.
inline bool is_compiled_way(const System& system, const Options& options) {
  Options own = default_options(system);
  own.backend = options.backend;
  if (is_between_sizes(system) || options.precision != own.precision ||
      options.method.integrator != own.method.integrator ||
      options.method.stabilization.kind != own.method.stabilization.kind) {
    return false;
  }
  return options.method.pseudo_inverse == own.method.pseudo_inverse ||
         choose_pseudo_inverse(system, options) == choose_pseudo_inverse(system, own);
}

/// The options, for the cpu by code that many tests can afford. Each way to move is a program of its own, which takes
/// the compiler seconds, and of many rows most of a minute: of most systems that of their own options is compiled, and
/// others are interpreted on packs, by the same loops of the core, where this build can.
inline Options with_affordable_code(const System& system, Options options) {
  if (options.backend != Backend::cpu || is_compiled_every_way(system) || is_compiled_way(system, options)) {
    return options;
  }
  Options interpreted = options;
  interpreted.compile = Compile::never;
  return choose_backend(system, interpreted).interpreted ? interpreted : options;
}

/// Whether that is none that takes most of a minute. Quick, for lists of tests.
inline bool is_affordable(const System& system, const Options& options) {
  if (options.backend != Backend::cpu || system.info.rates.size() <= 4 || is_compiled_every_way(system)) return true;
  if (may_be_interpreted(system, options)) return true;
  return options.method.pseudo_inverse == PseudoInverse::automatic && is_compiled_way(system, options);
}

}  // namespace kalaba::test
