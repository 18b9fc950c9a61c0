#pragma once

#include <string>
#include <vector>

#include "kalaba/core/method.hpp"

namespace kalaba::test {

/// Every integrator: what is tested of all of them is tested of one that is added.
inline std::vector<Integrator> all_integrators() {
  std::vector<Integrator> all;
  for (const IntegratorFacts& each : integrators) all.push_back(static_cast<Integrator>(&each - integrators));
  return all;
}

/// Those whose steps are as long as tolerances allow.
inline std::vector<Integrator> adaptive_integrators() {
  std::vector<Integrator> all = all_integrators();
  std::erase_if(all, [](Integrator each) { return !adapts(each); });
  return all;
}

}  // namespace kalaba::test
