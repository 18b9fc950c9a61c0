#pragma once

#include "kalaba/core/base/real.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Slip below which the friction of a contact that slides in a plane keeps its direction d: its part across d is then
/// relative to this slip. A slip turns in the time |v| / (mu g), which is too short for explicit steps when a contact
/// begins to slide or comes to rest: they would let rounding errors across d grow. Equal steps need half of mu g dt;
/// the error of adaptive steps shows in their estimate.
template <class X>
struct LeastSlip {
  /// `terms`: of the slip; `acceleration`: by friction; `length`: of a step; `slow`: a speed that is none.
  KALABA_FN static X of(const Method& method, const X& terms, const X& acceleration, const X& length, const X& slow) {
    const X in_step = X(adapts(method.integrator) ? part_of_adaptive_step : part_of_step) * acceleration * length;
    return max_of(max_of(X(part_of_terms) * terms, slow), in_step);
  }

 private:
  static constexpr double part_of_step = 0.5;
  static constexpr double part_of_adaptive_step = 1e-3;
  static constexpr Scalar<X> part_of_terms = Limits<Scalar<X>>::epsilon > 1e-10 ? 3.5e-4 : 1.5e-8;
};

}  // namespace kalaba
