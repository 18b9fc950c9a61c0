#pragma once

#include "kalaba/core/loop/adaptive.hpp"
#include "kalaba/core/loop/member.hpp"
#include "kalaba/core/loop/rosenbrock_trial.hpp"
#include "kalaba/core/loop/taylor_trial.hpp"
#include "kalaba/core/methods/dop853.hpp"
#include "kalaba/core/methods/dopri5.hpp"

namespace kalaba {

/// Stands for the rows of a member's events.
struct NoRows {};

/// Interface that MemberWork requires of a time loop, for every integrator: `start` a member (from MemberWorkspace),
/// advance it by whole steps of the grid or to a time between two, each with or without event detection, and report the
/// time of a failure. PersistentState is the state of a member between calls, Space the additional workspace of event
/// detection.
template <class Loop, class Pause = NoPause>
concept TimeLoop = requires(Loop loop, typename Loop::PersistentState member, typename Loop::Space space,
                            const Method& method, const TimeGrid& time, const Watch& watch, const NoRows& rows,
                            const Pause& pause) {
  loop.advance(Solo{}, member, method, time, 0L, 1L, pause);
  loop.advance_to(Solo{}, member, method, time, 0L, 0.5, pause);
  loop.advance_watching(Solo{}, member, method, time, 0L, 1L, watch, space, rows, pause);
  loop.advance_watching_to(Solo{}, member, method, time, 0L, 0.5, watch, space, rows, pause);
  loop.time_of(member, time, 0L, 0);
};

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
template <>
struct LoopOf<Integrator::taylor> : AdaptiveSteps<TaylorTableau> {};
template <>
struct LoopOf<Integrator::rodas5p> : AdaptiveSteps<Rodas5pTableau> {};

}  // namespace kalaba
