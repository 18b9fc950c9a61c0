#pragma once

#include "kalaba/core/expression_value.hpp"
#include "kalaba/core/team.hpp"

namespace kalaba {

/// The value of every event's expression. Knows no model.
template <class X>
KALABA_NOINLINE void watch_values(const Watch& watch, const X* p, const StateView<X>& state, X* values) {
  KALABA_UNROLL
  for (int event = 0; event < watch.count; ++event) values[event] = value_of(watch.events[event].expression, p, state);
}

/// Notes an event where it counts: how often, when first and last, and the state at the first. `rows` reads and writes
/// rows of the member's numbers (EventRows); without memory it keeps nothing.
template <class X, class Team, class Rows>
KALABA_NOINLINE void record_event(const Team& team, const EventRows& at, int event, const MaskOf<X>& counts,
                                  const StateView<X>& state, const Rows& rows) {
  if (!rows.keeps()) return;
  const X count = rows.get(at.count(event));
  const auto first = both(counts, count == X(0));
  team.single([&]() KALABA_LAMBDA {
    const auto put = [&](int row, const MaskOf<X>& where, const X& value)
                         KALABA_LAMBDA { rows.put(row, select(where, value, rows.get(row))); };
    put(at.count(event), counts, count + X(1));
    put(at.first(event), first, state.t);
    put(at.last(event), counts, state.t);
    for (int i = 0; i < at.coordinates; ++i) put(at.q(event) + i, first, state.q[i]);
    for (int i = 0; i < at.rates; ++i) put(at.w(event) + i, first, state.w[i]);
  });
}

namespace detail {

template <class X>
KALABA_FN auto crosses(Crossing direction, const X& before, const X& after) {
  const auto rises = both(before < X(0), after >= X(0));
  const auto falls = both(before > X(0), after <= X(0));
  if (direction == Crossing::rising) return rises;
  if (direction == Crossing::falling) return falls;
  return either(rises, falls);
}

/// A bracket of the place in a step where a value reaches zero, as parts of the step. Both ends close in on it by the
/// ITP method (Oliveira, Takahashi, ACM Trans. Math. Softw. 47 (2020) 5, with kappa_1 = 0.2, kappa_2 = 2, n_0 = 1):
/// as fast as the secant method, and never more than one step behind bisection.
template <class X>
struct Bracket {
  X from = X(0);  ///< not yet reached
  X to = X(1);    ///< reached
  X below;        ///< values there, with the sign that makes them rise
  X above;
  X radius = X(1);

  static constexpr int most_looks = 60;  ///< bisection of a step to 2^-53, and some

  /// Where to look next to make the bracket as narrow as `tolerance`: the chord's zero, shifted towards the middle. A
  /// shift of less than half of the tolerance would leave the far end where it is for good.
  KALABA_FN X next(const X& tolerance) const {
    const X width = to - from;
    const X middle = X(0.5) * (from + to);
    const X zero = (above * from - below * to) / (above - below);
    const X chord = min_of(max_of(zero, from), to);  // NaN stays NaN, for which the middle is tried
    const X away = middle - chord;
    const X shift = max_of(X(0.2) * width * width, X(0.5) * tolerance);
    const X shifted = chord + select(away < X(0), -shift, shift);
    const X tried = select(shift <= abs(away), shifted, middle);
    const X limit = max_of(radius - X(0.5) * width, X(0));
    const X limited = middle - select(away < X(0), -limit, limit);
    return select(abs(tried - middle) <= limit, tried, limited);
  }
  template <class Mask>
  KALABA_FN void take(const Mask& searching, const X& place, const X& value) {
    const auto reached = value >= X(0);  // not where it is NaN
    const auto is_to = both(searching, reached);
    const auto is_from = both(searching, !reached);
    to = select(is_to, place, to);
    above = select(is_to, value, above);
    from = select(is_from, place, from);
    below = select(is_from, value, below);
    radius = X(0.5) * radius;
  }
};

/// Where in its step an event happens, in lanes; 2 where it does not.
template <class X, class Team, class Step>
KALABA_FN X place_of(const Team& team, const Watch& watch, int event, const X* p, const MaskOf<X>& moved,
                     const X* earlier, const X* later, const X& tolerance, const Step& step) {
  const X change = later[event] - earlier[event];
  const MaskOf<X> signs = both(moved, crosses(watch.events[event].direction, earlier[event], later[event]));
  const MaskOf<X> crossing = both(signs, is_finite(change));
  if (!team.any(crossing)) return X(2);
  const X sign = select(earlier[event] < X(0), X(1), X(-1));
  Bracket<X> bracket;
  bracket.below = sign * earlier[event];
  bracket.above = sign * later[event];
  for (int looks = 0; looks < bracket.most_looks; ++looks) {
    const MaskOf<X> searching = both(crossing, tolerance < bracket.to - bracket.from);
    if (!team.any(searching)) break;
    const X place = select(searching, bracket.next(tolerance), bracket.to);
    X values[Watch::most_events];
    watch_values(watch, p, step.look(place), values);
    bracket.take(searching, place, sign * values[event]);
  }
  const MaskOf<X> is_zero = both(crossing, bracket.above - bracket.below <= abs(change));  // no pole
  return select(is_zero, bracket.to, X(2));
}

}  // namespace detail

/// Looks for events in a step that the lanes `moved` have made, between the `earlier` values of the expressions and the
/// `later` ones, to `tolerance` as a part of the step. A value that is zero already is not about to reach zero, and one
/// that changes its sign at a pole does not: there it differs by more between the two sides of the pole than between
/// the two ends of the step, or is not finite.
///
/// step.look(part) gives the member at a part (0, 1] of the step; step.record(event, counts, state) is told every event
/// that comes no later than the first one that stops, and those that stop last. What is found lies where the value has
/// just reached zero.
template <class X, class Team, class Step>
KALABA_NOINLINE void watch_step(const Team& team, const Watch& watch, const X* p, const MaskOf<X>& moved,
                                const X* earlier, const X* later, const X& tolerance, const Step& step) {
  X places[Watch::most_events];
  X stop(1);  // part of the step at which a lane stops, if it does
  for (int event = 0; event < watch.count; ++event) {
    places[event] = detail::place_of(team, watch, event, p, moved, earlier, later, tolerance, step);
    if (watch.events[event].action == EventAction::stop) stop = min_of(stop, places[event]);
  }
  for (int pass = 0; pass < 2; ++pass) {
    const EventAction action = pass == 0 ? EventAction::record : EventAction::stop;
    for (int event = 0; event < watch.count; ++event) {
      if (watch.events[event].action != action) continue;
      const MaskOf<X> counts = places[event] <= stop;
      if (team.any(counts)) step.record(event, counts, step.look(select(counts, places[event], X(1))));
    }
  }
}

/// A step whose type is forgotten, so that what watches it is compiled once for all models.
template <class X>
struct AnyStep {
  const void* step;
  StateView<X> (*look_at)(const void* step, const X& part);
  void (*record_it)(const void* step, int event, const MaskOf<X>& counts, const StateView<X>& state);

  template <class Step>
  KALABA_FN static AnyStep of(const Step& step) {
    return {&step, [](const void* self, const X& part) { return static_cast<const Step*>(self)->look(part); },
            [](const void* self, int event, const MaskOf<X>& counts, const StateView<X>& state) {
              static_cast<const Step*>(self)->record(event, counts, state);
            }};
  }
  KALABA_FN StateView<X> look(const X& part) const { return look_at(step, part); }
  KALABA_FN void record(int event, const MaskOf<X>& counts, const StateView<X>& state) const {
    record_it(step, event, counts, state);
  }
};

/// watch_step, by way of AnyStep where calls are cheap.
template <class X, class Team, class Step>
KALABA_FN void watch_any_step(const Team& team, const Watch& watch, const X* p, const MaskOf<X>& moved,
                              const X* earlier, const X* later, const X& tolerance, const Step& step) {
  if constexpr (KALABA_FOR_GPU) {
    watch_step(team, watch, p, moved, earlier, later, tolerance, step);
  } else {
    watch_step(team, watch, p, moved, earlier, later, tolerance, AnyStep<X>::of(step));
  }
}

/// How close two parts of a step can come, where times are of this size: four roundings.
template <class X>
KALABA_FN X part_tolerance(const X& t, const X& length) {
  return X(4 * Limits<Scalar<X>>::epsilon) * max_of(X(1), abs(t) / length);
}

}  // namespace kalaba
