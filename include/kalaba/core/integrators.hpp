#pragma once

#include "kalaba/core/adaptive.hpp"
#include "kalaba/core/dop853.hpp"
#include "kalaba/core/dopri5.hpp"
#include "kalaba/core/member.hpp"

namespace kalaba {

/// The time loop of an integrator: LoopOf<Integrator::dopri5>::Loop<M, X, Inverse>.
template <Integrator>
struct LoopOf;

struct EqualSteps {
  template <class M, class X, template <class, int, int> class Inverse>
  using Loop = MemberLoop<M, X, Inverse>;
};
template <class Tableau>
struct AdaptiveSteps {
  template <class M, class X, template <class, int, int> class Inverse>
  using Loop = AdaptiveLoop<M, X, Inverse, Tableau>;
};

template <>
struct LoopOf<Integrator::rk4> : EqualSteps {};
template <>
struct LoopOf<Integrator::dopri5> : AdaptiveSteps<Dopri5Tableau> {};
template <>
struct LoopOf<Integrator::dop853> : AdaptiveSteps<Dop853Tableau> {};

}  // namespace kalaba
