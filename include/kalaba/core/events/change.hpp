#pragma once

#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/base/operation_size.hpp"
#include "kalaba/core/base/state.hpp"
#include "kalaba/core/events/expression_value.hpp"

namespace kalaba {

/// A set of events as a number, the sum of 2^event.
template <class X>
struct Flags {
  MaskOf<X> of[Watch::most_events];  ///< of the events of the watch

  KALABA_FN Flags(const Watch& watch, const X& number) {
    X rest = number;
    for (int i = watch.count - 1; i >= 0; --i) {
      of[i] = value(i) <= rest;
      rest = rest - select(of[i], value(i), X(0));
    }
  }
  /// Added to the number of a set of events that occur before they have left zero (Leaving::is_stuck).
  static constexpr double stuck = Limits<Scalar<X>>::epsilon > 1e-10 ? -0x1p24 : -0x1p52;

  /// The number of the set with event i alone.
  KALABA_FN static X value(int i) { return X(static_cast<double>(1L << i)); }
};

/// Returns the lanes in which two times of a run are one instant: they differ by no more than the rounding errors of
/// the terms from which they are computed.
template <class X>
KALABA_FN MaskOf<X> is_same_time(const Watch& watch, const X& a, const X& b) {
  const X size = max_of(max_of(abs(a), abs(b)), X(watch.time_size));
  return abs(a - b) <= X(16 * Limits<Scalar<X>>::epsilon) * size;
}
/// Returns the lanes in which a is before b or the same instant.
template <class X>
KALABA_FN MaskOf<X> is_until(const Watch& watch, const X& a, const X& b) {
  return either(a <= b, is_same_time(watch, a, b));
}

/// The ticks of a clock: the times offset + k every, k = 0, 1, ... They are computed as products, so that their error
/// does not grow. A member whose ticks are made up to one time makes, up to a later time, those by which the number of
/// ticks until then has grown: each is made once, wherever other changes come between.
template <class X>
struct Ticks {
  const Watch& watch;
  X every;
  X offset;

  KALABA_FN Ticks(const Watch& of, int clock)
      : watch(of), every(of.clocks[clock].every), offset(of.clocks[clock].offset) {}

  KALABA_FN X at(const X& k) const { return k * every + offset; }
  /// Number of ticks until t, with one at t.
  KALABA_FN X until(const X& t) const {
    const X near = max_of(nearest((t - offset) / every), X(0));
    return near + select(is_until(watch, at(near), t), X(1), X(0));
  }
  /// Time of the first tick after t.
  KALABA_FN X after(const X& t) const { return at(until(t)); }
  /// Returns the lanes in which the clock ticks at t if its ticks are made up to `made`; null: at the start of a run,
  /// which makes no earlier ticks.
  KALABA_FN MaskOf<X> is_due(const X* made, const X& t) const {
    const X count = until(t);
    if (made != nullptr) return until(*made) < count;
    return both(X(0) < count, is_same_time(watch, at(count - X(1)), t));
  }

 private:
  /// Nearest whole number: the addition rounds to it.
  KALABA_FN static X nearest(const X& x) {
    const X large(Limits<Scalar<X>>::epsilon > 1e-10 ? 12582912.0 : 6755399441055744.0);  // 1.5 times 2^digits
    return (x + large) - large;
  }
};

/// Time of the first tick of any clock after t; `end` if none comes before it.
template <class X>
KALABA_FN X next_tick(const Watch& watch, const X& t, const X& end) {
  X next = end;
  for (int i = 0; i < watch.clock_count; ++i) {
    const X tick = Ticks<X>(watch, i).after(t);
    next = select(both(tick < next, !is_same_time(watch, tick, next)), tick, next);
  }
  return next;
}

/// Returns the lanes in which some clock ticks at t if the ticks are made up to `made`.
template <class X>
KALABA_FN MaskOf<X> some_tick(const Watch& watch, const X& made, const X& t) {
  MaskOf<X> ticks = X(1) < X(0);
  for (int i = 0; i < watch.clock_count; ++i) ticks = either(ticks, Ticks<X>(watch, i).is_due(&made, t));
  return ticks;
}

/// Time derivative of an expression, and the sum of the magnitudes of the terms from which it is computed.
template <class X>
struct SizedSpeed {
  X speed;
  X size;
};

/// Time derivative of an expression along a motion with the rates `dot_q` and `dot_w`. Quantities that are derived from
/// the state count as constants.
template <class X>
KALABA_NOINLINE SizedSpeed<X> speed_of(const Expression& expression, const X* p, const StateView<X>& state,
                                       const X* dot_q, const X* dot_w) {
  using D = Dual<X, 3>;  // along the arguments of an operation
  X stack[Expression::most_numbers];
  X speeds[Expression::most_numbers];
  X sizes[Expression::most_numbers];
  int top = 0;
  KALABA_UNROLL
  for (int i = 0; i < expression.size; ++i) {
    const Instruction& now = expression.code[i];
    if (detail::is_leaf(now.operation)) {
      stack[top] = detail::leaf_of(now, p, state);
      speeds[top] = X(0);
      if (now.operation == Operation::time) speeds[top] = X(1);
      if (now.operation == Operation::coordinate) speeds[top] = dot_q[now.index];
      if (now.operation == Operation::rate) speeds[top] = dot_w[now.index];
      sizes[top] = abs(speeds[top]);
      ++top;
      continue;
    }
    const int count = argument_count(now.operation);
    const int first = top > count ? top - count : 0;
    D arguments[3];
    for (int k = 0; k < 3; ++k) {
      arguments[k] = D(stack[first + (k < count ? k : 0)]);
      arguments[k].slope[k] = X(1);
    }
    detail::operate(now, arguments, count);
    X speed(0);
    X size(0);
    for (int k = 0; k < count; ++k) {
      const X& slope = arguments[0].slope[k];
      const MaskOf<X> moves = X(0) < sizes[first + k];  // else a slope may be infinite
      speed = select(moves, fma(slope, speeds[first + k], speed), speed);
      size = select(moves, fma(abs(slope), sizes[first + k], size), size);
    }
    stack[first] = arguments[0].value;
    speeds[first] = speed;
    sizes[first] = size;
    top = first + 1;
  }
  return {speeds[0], sizes[0]};
}

/// Rounding error of the value of an expression, with a margin.
template <class X>
KALABA_NOINLINE X rounding_of(const Expression& expression, const X* p, const StateView<X>& state) {
  X stack[Expression::most_numbers];
  X sizes[Expression::most_numbers];
  int top = 0;
  KALABA_UNROLL
  for (int i = 0; i < expression.size; ++i) {
    const Instruction& now = expression.code[i];
    if (detail::is_leaf(now.operation)) {
      stack[top] = detail::leaf_of(now, p, state);
      sizes[top] = abs(stack[top]);
      ++top;
      continue;
    }
    const int count = argument_count(now.operation);
    const int first = top > count ? top - count : 0;
    X values[3];
    for (int k = 0; k < 3; ++k) values[k] = stack[first + (k < count ? k : 0)];
    top = detail::operate(now, stack, top);
    sizes[first] = rounding_size(now.operation, now.index, stack[first], values, sizes + first);
  }
  return X(16 * Limits<Scalar<X>>::epsilon) * sizes[0];
}

/// The events whose value is zero after the last change, up to rounding: those that led to it, and those whose value
/// the change has moved to zero. Such a value counts with the sign of its motion away from zero, so that the event
/// occurs again when it returns to zero. If its speed is zero up to rounding, the sign is found within the next step
/// (settle); until then the value counts as zero.
template <class X>
struct Leaving {
  X since;                      ///< s: time of the change
  X until[Watch::most_events];  ///< s: time from then on in which rounding may hide the motion; negative: another event
  X sign[Watch::most_events];   ///< 0: not yet known

  KALABA_FN Leaving() {
    for (X& each : until) each = X(-1);
  }
  KALABA_FN void clear(const Watch& watch, const MaskOf<X>& where) {
    for (int event = 0; event < watch.count; ++event) until[event] = select(where, X(-1), until[event]);
  }

  /// Finds them among the events `leaves` (Flags), at a state with the rates `dot_q` and `dot_w`.
  KALABA_FN void find(const Watch& watch, const X* p, const StateView<X>& state, const X* dot_q, const X* dot_w,
                      const X& leaves) {
    const Flags<X> flags(watch, leaves);
    since = state.t;
    for (int event = 0; event < watch.count; ++event) {
      until[event] = X(-1);
      if (!any(flags.of[event])) continue;
      const Expression& value = watch.events[event].continuous();
      const SizedSpeed<X> found = speed_of(value, p, state, dot_q, dot_w);
      const X speed = abs(found.speed);
      const auto moves = X(16 * Limits<Scalar<X>>::epsilon) * found.size < speed;
      const X hidden = X(4) * (X(2) * abs(value_of(value, p, state)) + rounding_of(value, p, state));
      const X of_time = X(4 * Limits<Scalar<X>>::epsilon) * abs(since);  // rounding of times
      const X time = select(moves, hidden / select(moves, speed, X(1)) + of_time, X(Limits<Scalar<X>>::large));
      until[event] = select(flags.of[event], time, X(-1));
      sign[event] = select(moves, select(found.speed < X(0), X(-1), X(1)), X(0));
    }
  }
  /// Adds the rounding errors of places in a step of this length.
  KALABA_FN void begin_step(const Watch& watch, const X& length) {
    for (int event = 0; event < watch.count; ++event) {
      const X longer = until[event] + X(8 * Limits<Scalar<X>>::epsilon) * length;
      until[event] = select(X(0) <= until[event], longer, until[event]);
    }
  }
  /// Returns the lanes in which rounding may hide at t the motion of a value away from zero.
  KALABA_FN MaskOf<X> hides(int event, const X& t) const { return t - since <= until[event]; }
  /// Returns the lanes in which the sign of an event is not yet known.
  KALABA_FN MaskOf<X> is_open(int event) const { return both(X(0) <= until[event], sign[event] == X(0)); }
  /// States, in the lanes `where` in which it is not yet known, that the value has left zero with a sign until t.
  KALABA_FN void settle(int event, const MaskOf<X>& where, const X& left, const X& t) {
    const MaskOf<X> open = both(where, is_open(event));
    until[event] = select(open, t - since, until[event]);
    sign[event] = select(open, left, sign[event]);
  }
  /// Returns the events of `leaves` (Flags) whose value has not left zero until this state, by more than rounding. A
  /// value that has left zero and has returned counts with its own sign.
  KALABA_FN X still(const Watch& watch, const X* p, const StateView<X>& state, const X& leaves) const {
    const Flags<X> flags(watch, leaves);
    X result(0);
    for (int event = 0; event < watch.count; ++event) {
      if (!any(flags.of[event])) continue;
      const Expression& expression = watch.events[event].continuous();
      const X value = value_of(expression, p, state);
      const X away = select(sign[event] == X(0), abs(value), sign[event] * value);
      const auto stays = both(hides(event, state.t), away <= rounding_of(expression, p, state));
      result = result + select(both(flags.of[event], stays), Flags<X>::value(event), X(0));
    }
    return result;
  }

  /// Returns the lanes in which an event that occurs at t, in a step of this length, has not left zero before by more
  /// than rounding.
  KALABA_FN MaskOf<X> is_stuck(int event, const X& t, const X& length) const {
    const X rounding = X(8 * Limits<Scalar<X>>::epsilon) * (abs(t) + length);
    return both(X(0) <= until[event], t - since <= fma(X(1.001), until[event], rounding));
  }

  /// Gives the values of these events (or of their continuous expressions) their sign while rounding may hide it.
  KALABA_FN void correct(const Watch& watch, const StateView<X>& state, X* values, bool margins) const {
    for (int event = 0; event < watch.count; ++event) {
      const auto hidden = hides(event, state.t);
      if (any(hidden)) correct(watch.events[event], event, hidden, margins, values);
    }
  }
  /// Likewise at the end of a step in which signs that are not yet known may become known (settle).
  KALABA_FN void correct_end(const Watch& watch, const X& t, X* values) const {
    for (int event = 0; event < watch.count; ++event) {
      const auto hidden = both(hides(event, t), !(sign[event] == X(0)));
      if (any(hidden)) correct(watch.events[event], event, hidden, false, values);
    }
  }

 private:
  KALABA_FN void correct(const WatchedEvent& event, int index, const MaskOf<X>& hidden, bool margins, X* values) const {
    const bool is_truth = !margins && event.margin.size > 0;
    const X size = is_truth ? X(1) : max_of(abs(values[index]), X(Limits<Scalar<X>>::small));
    values[index] = select(hidden, sign[index] * size, values[index]);
  }
};

}  // namespace kalaba
