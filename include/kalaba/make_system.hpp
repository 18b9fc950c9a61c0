#pragma once

#include "kalaba/backend/cpu.hpp"
#include "kalaba/describe_system.hpp"

namespace kalaba {

/// A system from a model, or from one that states its energy, with every time loop compiled here: for a program that
/// must run where there is no compiler.
template <class Stated>
System make_system() {
  System system = describe_system<Stated>();
  system.cpu = &make_cpu_runner<WithTerms<Stated>>;
  return system;
}

}  // namespace kalaba
