#pragma once

#include "kalaba/core/base/real.hpp"
#include "kalaba/core/model/description.hpp"

namespace kalaba {

/// An interval of time (of each lane) in which a step is made.
template <class X>
struct Interval {
  X begin;
  X length;
  X end;

  /// Step `step` of the grid.
  KALABA_FN static Interval of(const TimeGrid& time, long step) {
    return {X(time.at(step)), X(time.dt), X(time.at(step + 1))};
  }
  /// Step number `step` of the grid in each lane, to the bits of `of`.
  KALABA_FN static Interval of_each(const TimeGrid& time, const X& step) {
    const auto at = [&](const X& steps) KALABA_LAMBDA {
      const X t = X(time.start) + steps * X(time.dt);
      return select(X(time.end + 1e-3 * time.dt) < t, X(time.end), t);
    };
    return {at(step), X(time.dt), at(step + X(1))};
  }
  KALABA_FN static Interval between(const X& begin, const X& end) { return {begin, end - begin, end}; }

  /// Time at the end of a part of it.
  KALABA_FN X at(const X& part) const {
    return select(part == X(1), end, max_of(begin, fma(part - X(1), length, end)));
  }
};

}  // namespace kalaba
