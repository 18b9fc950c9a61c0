#pragma once

#include <string>
#include <vector>

#include "kalaba/core/model/method.hpp"

namespace kalaba::test {

/// Integrators that run on the backends `cpu` and `reference`, so that common tests include new ones. Those that use
/// series do not run on the reference: tests/taylor.
inline std::vector<Integrator> all_integrators() {
  std::vector<Integrator> all;
  for (const IntegratorFacts& each : integrators) {
    if (!each.uses_series) all.push_back(static_cast<Integrator>(&each - integrators));
  }
  return all;
}

/// Integrators with adaptive steps.
inline std::vector<Integrator> adaptive_integrators() {
  std::vector<Integrator> all = all_integrators();
  std::erase_if(all, [](Integrator each) { return !adapts(each); });
  return all;
}

/// All integrators. Those that use series or slopes require compiled code, and one thread a member on GPUs.
inline std::vector<Integrator> every_integrator() {
  std::vector<Integrator> all;
  for (const IntegratorFacts& each : integrators) all.push_back(static_cast<Integrator>(&each - integrators));
  return all;
}

/// Integrators with which several threads of a GPU may share a member.
inline std::vector<Integrator> shared_integrators() {
  std::vector<Integrator> all = every_integrator();
  std::erase_if(all, [](Integrator each) { return facts_of(each).uses_series || facts_of(each).uses_slopes; });
  return all;
}

}  // namespace kalaba::test
