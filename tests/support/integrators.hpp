#pragma once

#include <string>
#include <vector>

#include "kalaba/core/method.hpp"

namespace kalaba::test {

/// All integrators, so that common tests include new ones.
inline std::vector<Integrator> all_integrators() {
  std::vector<Integrator> all;
  for (const IntegratorFacts& each : integrators) all.push_back(static_cast<Integrator>(&each - integrators));
  return all;
}

/// Integrators with adaptive steps.
inline std::vector<Integrator> adaptive_integrators() {
  std::vector<Integrator> all = all_integrators();
  std::erase_if(all, [](Integrator each) { return !adapts(each); });
  return all;
}

}  // namespace kalaba::test
