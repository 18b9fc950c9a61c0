#pragma once

#include <cmath>
#include <functional>
#include <optional>

#include "backend/reference/model.hpp"
#include "kalaba/options.hpp"

namespace kalaba::reference {

/// Derivatives of a member's state, one column per variable that the run requests.
struct SensitivityColumns {
  Matrix q;  ///< [nq x columns]
  Matrix w;  ///< [nw x columns]
  Vector t;  ///< of the time of the state, after an event has stopped the member; else empty

  /// Replaces the columns by linear combinations of them.
  void combine(const Matrix& factors);
  /// Sets all columns, or one, to NaN.
  void forget();
  void forget(long column);
  bool forgotten() const { return q.size() > 0 && std::isnan(q(0, 0)); }
};

/// Columns at both ends of a step, and at an event that ends the motion.
struct StepColumns {
  SensitivityColumns before;
  SensitivityColumns after;
  SensitivityColumns stopped;

  void combine(const Matrix& factors) {
    for (SensitivityColumns* each : {&before, &after, &stopped}) each->combine(factors);
  }
};

/// A part of a motion: maps x to its end; returns nothing if it fails.
using Motion = std::function<std::optional<Instant>(const Instant& x)>;

/// Propagates the columns at x through a part of the motion, by central differences of order 4 of that part itself.
/// Only values of the motion are used.
void follow(const SensitivityPlan& plan, const Motion& motion, const Instant& x, SensitivityColumns& columns);

/// Columns at an event.
struct EventColumns {
  Vector time;  ///< derivatives of its time
  SensitivityColumns state;
};

/// Returns the columns of an event at x, where `value` reaches zero and the state moves with these rates, from the
/// columns there with the time held fixed. Uses differences of `value`.
EventColumns event_columns(const SensitivityPlan& plan, const std::function<double(const Instant&)>& value,
                           const Instant& x, const Vector& q_dot, const Vector& w_dot,
                           const SensitivityColumns& columns);

/// Returns the derivatives of a function of the state along the columns at x, [number, column], by finite differences.
Matrix slopes_of(const SensitivityPlan& plan, const std::function<Vector(const Instant&)>& value, const Instant& x,
                 const SensitivityColumns& columns);

/// Returns the columns of a member whose given start is x; `starts` completes a start. Starts that are not varied in a
/// column follow from the parameters and from the given starts.
SensitivityColumns begin_columns(const SensitivityPlan& plan, const Motion& starts, const Instant& x);

}  // namespace kalaba::reference
