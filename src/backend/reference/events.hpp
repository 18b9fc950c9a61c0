#pragma once

#include <functional>

#include "backend/reference/model.hpp"
#include "kalaba/core/base/operation_size.hpp"
#include "kalaba/core/events/event.hpp"

namespace kalaba::reference {

/// Returns the variables of expressions other than the state (WatchedRows) at an instant; called if a watch uses them.
using Observe = std::function<Vector(const Instant& x)>;

/// A value, and the size of its rounding error (rounding_size).
struct SizedValue {
  double value;
  double size;
};

SizedValue sized_value(const Expression& expression, const Instant& x, const Vector& observed);

/// Returns the value of an expression.
double value_of(const Expression& expression, const Instant& x, const Vector& observed);

/// An event of one step.
struct Happening {
  int event = 0;
  Instant at;          ///< its time and state
  bool stuck = false;  ///< its value has not left zero before by more than rounding
};

/// Returns the state at a fraction of the step.
using StateAt = std::function<Instant(double part)>;

/// Events of a step, in the order of their times, up to the first that stops or changes the member.
struct StepEvents {
  std::vector<Happening> found;
  /// Departing events whose value has not left zero by more than rounding until then, and those whose value arrives at
  /// zero there against their direction.
  std::vector<int> hidden;
};

/// Events whose value is zero, up to rounding, at the beginning of a step, and the rates of the state there.
struct Departure {
  std::vector<int> events;
  Vector q_dot;
  Vector w_dot;
};

/// Returns the gaps of all contacts, followed by their rates.
using GapsAt = std::function<Vector(const Instant& x)>;

/// Motion and tolerance with which the gaps of open contacts are searched for their first closing in a step.
struct OpenGaps {
  StateAt state;
  GapsAt at;
  std::function<double(int contact, const Instant& x)> zero;  ///< largest gap that is zero
};

/// Returns the events between two ends of a step, found by bisection. At the beginning the value of a departing event
/// has the sign with which it leaves zero, or zero if rounding hides that. If samples of the `estimate` show that an
/// expression may have several zeros, the search is between the ends of the step's `parts`, and the places between them
/// where the expression turns beyond zero. Poles are not events, by the rule that Event states. The estimate of the
/// state is cheap. The events of open contacts are found by their `gaps` (closing_of), the first of a closed one by a
/// recursive division of the step.
StepEvents happenings(const Watch& watch, const Instant& begin, const Instant& end, int parts, const StateAt& state,
                      const StateAt& estimate, const Observe& observe, const Departure& departure = {},
                      const OpenGaps& gaps = {});

}  // namespace kalaba::reference
