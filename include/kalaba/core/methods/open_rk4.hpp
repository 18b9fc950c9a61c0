#pragma once

#include "kalaba/core/base/state.hpp"

namespace kalaba {

/// The midpoint rule of Gragg in two and in four parts, extrapolated to order 4 (Hairer, Norsett, Wanner, Solving
/// Ordinary Differential Equations I, section II.9, without the smoothing step): the step is
///   (4 S_4 - S_2) / 3 = y + h (2 f(1/4) - f(1/2) + 2 f(3/4)) / 3,
/// Milne's open formula. The rates at both ends have no weight in it.
template <class X, int NQ, int N>
struct OpenRk4 {
  using S = State<X, NQ, N>;
  static constexpr int stages = 5;
  static constexpr int error_exponent = 13;  ///< of the step control (StepControl)
  static constexpr int memory_exponent = 0;

  S end;      ///< out: the state after the step
  S at;       ///< the current stage
  S quarter;  ///< state at a quarter of the step, by the midpoint rule

  /// Node of a stage, as a fraction of the step.
  KALABA_FN static constexpr double node(int stage) {
    return stage == 0 ? 0 : stage == 2 ? 0.25 : stage == 4 ? 0.75 : 0.5;
  }

  /// One step of length dt from `start` at t. `rate(stage, t, state)` may modify the state before it stores its result
  /// in `dot`.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const S& start, const S& dot, const Rate& rate) {
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA { of(end)[i] = of(at)[i] = of(start)[i]; });
    for (int stage = 0; stage < stages; ++stage) {
      rate(stage, fma(X(node(stage)), dt, t), at);
      for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
        go(stage, dt, of(start)[i], of(dot)[i], of(quarter)[i], of(at)[i], of(end)[i]);
      });
    }
  }

 private:
  /// Advances one number from its rate at a stage to the next stage.
  KALABA_FN static void go(int stage, const X& dt, const X& y0, const X& rate, X& quarter, X& next, X& y) {
    const X weight(stage == 1 ? -1.0 / 3 : stage == 2 || stage == 4 ? 2.0 / 3 : 0.0);
    y = fma(weight * dt, rate, y);
    if (stage == 0) quarter = fma(X(0.25) * dt, rate, y0);
    next = stage == 1 ? quarter : fma(X(0.5) * dt, rate, stage == 3 ? quarter : y0);
  }
};

}  // namespace kalaba
