#pragma once

#include "kalaba/core/base/team.hpp"
#include "kalaba/core/events/event.hpp"
#include "kalaba/core/events/part_ends.hpp"

namespace kalaba::detail {

template <class X>
KALABA_FN auto crosses(Crossing direction, const X& before, const X& after) {
  const auto rises = both(before < X(0), after >= X(0));
  const auto falls = both(before > X(0), after <= X(0));
  if (direction == Crossing::rising) return rises;
  if (direction == Crossing::falling) return falls;
  return either(rises, falls);
}

/// Bracket of the place in a step where a value reaches zero, as fractions of the step. Both ends converge to it by the
/// ITP method (Oliveira, Takahashi, ACM Trans. Math. Softw. 47 (2020) 5, with kappa_1 = 0.2, kappa_2 = 2, n_0 = 1): as
/// fast as the secant method, and never more than one step behind bisection.
template <class X>
struct Bracket {
  X from = X(0);  ///< not yet reached
  X to = X(1);    ///< reached
  X below;        ///< values at the ends, with the sign that makes them rise
  X above;
  X radius = X(1);

  static constexpr int most_looks = 60;  ///< bisection of a step to 2^-53, and a margin

  /// Next place to evaluate, for a bracket of width `tolerance`: the zero of the chord, shifted towards the middle.
  /// With a shift below half of the tolerance, the far end would never move.
  KALABA_FN X next(const X& tolerance) const {
    const X width = to - from;
    const X middle = X(0.5) * (from + to);
    const X zero = (above * from - below * to) / (above - below);
    const X chord = min_of(max_of(zero, from), to);  // NaN remains NaN, for which the middle is used
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
    const auto reached = value >= X(0);  // false for NaN
    const auto is_to = both(searching, reached);
    const auto is_from = both(searching, !reached);
    to = select(is_to, place, to);
    above = select(is_to, value, above);
    from = select(is_from, place, from);
    below = select(is_from, value, below);
    radius = X(0.5) * radius;
  }
};

/// Narrows a bracket to `tolerance` in the lanes `crossing`. value(place) has the sign that rises.
template <class X, class Team, class Value>
KALABA_FN void narrow(const Team& team, const MaskOf<X>& crossing, const X& tolerance, const Value& value,
                      Bracket<X>& bracket) {
  for (int looks = 0; looks < bracket.most_looks; ++looks) {
    const MaskOf<X> searching = both(crossing, tolerance < bracket.to - bracket.from);
    if (!team.any(searching)) break;
    const X place = select(searching, bracket.next(tolerance), bracket.to);
    bracket.take(searching, place, value(place));
  }
}

/// Search, in a part of a step at whose ends a value has the same sign, for a place with the opposite sign: by the
/// minimum of the value, multiplied by the sign that makes it positive at both ends.
template <class X>
struct Dip {
  X left, right;        ///< the minimum lies between them
  X at_left, at_right;  ///< values there
  X fall, rise;         ///< bounds on the slopes at the ends of the part, per step
  X lowest, at_lowest;  ///< smallest value between the ends
  MaskOf<X> has_lowest;

  static constexpr int most_looks = 32;
  static constexpr double concave = 0.06;

  /// Initializes the search in part i. Returns the lanes in which there may be a minimum near or below zero, with a
  /// `guess` of its place: from the values of a polynomial within the part, and from the chords of the neighbouring
  /// parts, which bound a convex function from below, with or without a kink; concave arms of a kink may lie below by
  /// `concave` of the chords. The first and the last part have one neighbour; its chord, mirrored, takes the place of
  /// the other. `sign`: of the values beside the ends of the part, which may be zero themselves.
  KALABA_FN static MaskOf<X> find(const PartEnds<X>& ends, int parts, int i, const X& sign, Dip& dip, X& guess) {
    const X part(1.0 / parts);
    const X a = sign * ends[i];
    const X b = sign * ends[i + 1];
    X least = max_of(a, b);
    X most = least;
    X along(0.5);
    constexpr int places = QuarticWeights::places;
    const int first = first_end(i, parts);
    for (int place = 0; place < places; ++place) {
      const X value = sign * value_within(ends, first, i, place);
      along = select(value < least, X((place + 1.0) / (places + 1)), along);
      least = min_of(least, value);
      most = max_of(most, value);
      if (place == 0) dip.fall = X(places + 1) * abs(a - value);
      if (place + 1 == places) dip.rise = X(places + 1) * abs(b - value);
    }
    MaskOf<X> dips = least <= min_of(min_of(a, b), X(0.05) * (most - least));
    if (parts > 1) {
      X fall = i > 0 ? sign * ends[i - 1] - a : X(0);
      X rise = i + 2 <= parts ? sign * ends[i + 2] - b : X(0);
      if (i == 0) fall = rise;
      if (i + 2 > parts) rise = fall;
      const X meeting = ((a - b) + rise) / (fall + rise);
      const MaskOf<X> inside = both(both(X(0) < fall, X(0) < rise), both(X(0) < meeting, meeting < X(1)));
      const MaskOf<X> meets = both(inside, a - fall * meeting <= X(concave) * (fall + rise));
      along = select(both(meets, !dips), meeting, along);
      dips = either(dips, meets);
      dip.fall = max_of(dip.fall, abs(fall));
      dip.rise = max_of(dip.rise, abs(rise));
    }
    dip.left = X(i) * part;
    dip.right = X(i + 1) * part;
    dip.at_left = a;
    dip.at_right = b;
    dip.fall = dip.fall * X(parts);
    dip.rise = dip.rise * X(parts);
    dip.lowest = dip.left;
    dip.at_lowest = a;
    dip.has_lowest = X(1) < X(0);
    guess = fma(along, part, dip.left);
    return both(dips, both(X(0) <= a, X(0) <= b));
  }
  KALABA_FN X within(const X& place) const {
    const X edge = X(0.0625) * (right - left);
    return min_of(max_of(place, left + edge), right - edge);
  }
  /// Adds a value; returns the lanes in which a zero is still possible: a convex function lies above the chords through
  /// its values and above its tangents; other functions are allowed twice that descent.
  KALABA_FN MaskOf<X> take(const X& place, const X& value) {
    using Mask = MaskOf<X>;
    const Mask left_is_less = at_left <= at_right;
    const Mask is_lower = value < select(has_lowest, at_lowest, min_of(at_left, at_right));
    const Mask is_before = select_mask(has_lowest, place < lowest, !left_is_less);
    const Mask replaces = both(is_lower, has_lowest);  // the smallest value becomes an end
    const Mask ends = !is_lower;                       // the place becomes an end
    at_left = select(both(replaces, !is_before), at_lowest, select(both(ends, is_before), value, at_left));
    left = select(both(replaces, !is_before), lowest, select(both(ends, is_before), place, left));
    at_right = select(both(replaces, is_before), at_lowest, select(both(ends, !is_before), value, at_right));
    right = select(both(replaces, is_before), lowest, select(both(ends, !is_before), place, right));
    lowest = select(is_lower, place, lowest);
    at_lowest = select(is_lower, value, at_lowest);
    has_lowest = either(has_lowest, is_lower);
    const X reach = max_of(steep_before() * (right - lowest), steep_behind() * (lowest - left));
    const X reach_from_end = select(left_is_less, fall, rise) * (right - left);
    return select(has_lowest, at_lowest, min_of(at_left, at_right)) <= X(2) * select(has_lowest, reach, reach_from_end);
  }
  /// Next place to evaluate: alternately the vertex of the parabola through the three places and the middle of the
  /// longer side; near the end with the smaller value if no value between the ends is smaller.
  KALABA_FN X next(int looks) const {
    const X before = lowest - left;
    const X behind = right - lowest;
    const X middle = select(before < behind, lowest + X(0.5) * behind, lowest - X(0.5) * before);
    const X shift = X(0.5) * (steep_before() * behind - steep_behind() * before) / (steep_before() + steep_behind());
    const auto is_apart = both(X(looks % 2) < X(1), X(0.03125) * (right - left) <= abs(shift));  // false for NaN
    const X near_end = select(at_left <= at_right, left + X(0.25) * (right - left), right - X(0.25) * (right - left));
    return select(has_lowest, select(is_apart, within(lowest + shift), middle), near_end);
  }

 private:
  KALABA_FN static MaskOf<X> select_mask(const MaskOf<X>& where, const MaskOf<X>& a, const MaskOf<X>& b) {
    return either(both(where, a), both(!where, b));
  }
  KALABA_FN X steep_before() const { return (at_left - at_lowest) / (lowest - left); }
  KALABA_FN X steep_behind() const { return (at_right - at_lowest) / (right - lowest); }
};

/// A place in a step, and the value of an event there.
template <class X>
struct ValueAt {
  X place;
  X value;

  KALABA_FN static ValueAt choose(const MaskOf<X>& where, const ValueAt& a, const ValueAt& b) {
    return {select(where, a.place, b.place), select(where, a.value, b.value)};
  }
};

/// Value of an event, and of its continuous expression.
template <class X>
struct ValueAndMargin {
  X value;
  X margin;
};

/// Searches, in the lanes `searching`, for a place within a part of the step where a value has a different sign than at
/// both ends; one of these is `at_end`. look(place) returns a ValueAndMargin. Returns the lanes with such a `turn`.
template <class X, class Team, class Look>
KALABA_FN MaskOf<X> turn_within(const Team& team, MaskOf<X> searching, Dip<X> dip, const X& guess, const X& at_end,
                                const Look& look, ValueAt<X>& turn) {
  const X sign = select(at_end < X(0), X(-1), X(1));
  X place = dip.within(guess);
  MaskOf<X> found = X(1) < X(0);
  for (int looks = 0; looks < dip.most_looks; ++looks) {
    if (!team.any(searching)) break;
    const ValueAndMargin<X> there = look(select(searching, place, X(1)));
    const MaskOf<X> hit = both(searching, sign * there.value <= X(0));
    turn = ValueAt<X>::choose(hit, {place, there.value}, turn);
    found = either(found, hit);
    searching = both(both(searching, !hit), dip.take(place, sign * there.margin));
    place = dip.next(looks);
  }
  return found;
}

}  // namespace kalaba::detail
