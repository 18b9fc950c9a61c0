#pragma once

#include "formula/recorded_code.hpp"
#include "kalaba/describe_system.hpp"
#include "kalaba/ensemble.hpp"

namespace kalaba::test {

/// A system of a model that a test states, interpreted on packs: make_system would compile every loop there is of it,
/// half a minute each.
template <class Stated>
System interpreted_system() {
  System system = describe_system<Stated>();
  system.interpreted = &formula::recorded_instructions<Stated>;
  return system;
}

/// The same, compiled when it first runs where options do not say otherwise.
template <class Stated>
System recorded_system() {
  System system = interpreted_system<Stated>();
  system.device_code = {"", Stated::name, &formula::recorded_code<Stated>, &formula::differentiated_code<Stated>};
  return system;
}

/// Its default options, interpreted: in double precision alone.
inline Options interpreted_options(const System& system) {
  Options options = default_options(system);
  options.compile = Compile::never;
  return options;
}

}  // namespace kalaba::test
