#pragma once

#include <memory>
#include <utility>

#include "kalaba/describe_model.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/swarm/pair_kernel.hpp"

namespace kalaba {

/// Makes a SwarmLaw from a law struct. `device_code`: a header that includes no standard library, and the law's name.
template <PairLaw L>
SwarmLaw swarm_law(DeviceCode device_code = {}) {
  return {L::name,
          L::summary,
          L::equations,
          detail::variables(L::parameters),
          std::make_shared<LawKernel<L, 2>>(),
          std::make_shared<LawKernel<L, 3>>(),
          std::move(device_code)};
}

}  // namespace kalaba
