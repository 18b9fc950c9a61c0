#pragma once

#include "kalaba/core/rank_rule.hpp"

namespace kalaba {

/// How near a member comes to a singular position of its constraints within a step, seen by the smallest singular value
/// that counts (of rows of unit length): there values go through zero, as a slope times |t - t_0|, and branches of the
/// motion cross. A direction with a small value is turned by (distance from the constraints) / value, so near such a
/// position every stage is put on the constraints before its rate is taken, and no stage that has a weight in the step
/// lies right in it.
template <class X>
struct Passage {
  static constexpr double look_value = 0.25;  ///< nothing larger need be known, nor is it
  /// epsilon^(1/6): in shorter steps the rounding of a state, over the cube of its distance from the singular position,
  /// makes more error than the step's order takes away.
  static constexpr double least_speed = Limits<Scalar<X>>::epsilon > 1e-10 ? 0.07 : 2.5e-3;

  X first;   ///< at the beginning of the step
  X latest;  ///< at the last stage
  X least;
  X most;      ///< of those that are known
  X steepest;  ///< change from one node to another, in a step's length
  MaskOf<X> clear;  ///< whether the rates of the stages so far can be used

  /// The value at the beginning of a step: the least singular value, or the least relative length of a row.
  template <class Inverse>
  KALABA_FN void begin(Inverse& inverse) {
    first = latest = least = min_of(inverse.least_value(look_value), inverse.shortest());
    most = known(first);
    steepest = X(0);
    clear = X(0) < X(1);
  }
  /// The value at the next stage. The relative lengths of rows are computed at later stages for the lanes that have a
  /// singular position in sight, and perhaps for their neighbours.
  template <class Inverse>
  KALABA_FN void note(Inverse& inverse) {
    note_value(value_of(inverse));
  }
  /// Equal steps short enough to resolve a singular position begin one in sight of it before they come near, so that
  /// later stages need not be looked at where no member has it in sight.
  KALABA_FN bool in_sight() const { return any(first < X(look_value)); }
  /// Behind such a step: members that did not have it in sight saw nothing, whatever was noted for their neighbours.
  KALABA_FN void forget_unseen() { least = select(first < X(look_value), least, X(look_value)); }
  /// `note` for nodes in their order, `apart` in parts of the step.
  template <class Inverse>
  KALABA_FN void note_next(Inverse& inverse, double apart) {
    const X value = value_of(inverse);
    const MaskOf<X> both_known = both(clear, both(value < X(look_value), latest < X(look_value)));
    steepest = max_of(steepest, select(both_known, abs(value - latest) * X(1 / apart), X(0)));
    note_value(value);
  }

  /// By how much the value changes in a step where a singular position lies within `steps` of them, else 0. A member
  /// that was near before (at such a `speed`) leaves at twice the distance.
  KALABA_FN X speed(double steps, const X& before) const {
    const X change = max_of(most - least, steepest);
    const X reach = X(steps) * change * select(X(0) < before, X(2), X(1));
    return select(both(least < X(near_value), least < reach), change, X(0));
  }

  /// Whether the value goes through zero in the step, as far as is known.
  KALABA_FN MaskOf<X> crosses() const { return both(least < X(near_value), first <= X(2) * (most - least)); }

  /// Where a step is split, as a part of it; 0 where it need not be. The stages that have a weight are at a quarter, a
  /// half and three quarters, of the two parts likewise, and the zero then lies in the middle of the gap where they
  /// meet: at least an eighth of a step from any.
  KALABA_FN X split() const {
    const MaskOf<X> moves = X(0) < steepest;
    const X place = first / select(moves, steepest, X(1));
    const MaskOf<X> inside = both(X(0.125) < place, place < X(0.875));
    // Behind a zero it has risen less than it would have from the beginning on.
    const MaskOf<X> crosses = latest < first + X(0.5) * steepest;
    return select(both(both(moves, inside), crosses), (place - X(0.125)) * X(4.0 / 3), X(0));
  }

  /// The rank for putting a stage on the constraints, or the end of a step, where values change by `speed` in a step.
  /// Below some value a correction is made of rounding more than of error; at an end, whose rate has no weight, that is
  /// no loss.
  KALABA_FN static RankRule<X> rule(const Method& method, const X& rank, const X& speed, bool at_end) {
    RankRule<X> rule = RankRule<X>::in_passage(method, rank);
    const X rounding = X(8 * root_epsilon) / max_of(speed, X(root_epsilon));
    const X limit = at_end ? X(0.3) * speed : min_of(rounding, X(0.05) * speed);
    rule.held = max_of(limit, rule.held);
    rule.tolerance = max_of(rule.tolerance, rule.held);
    return rule;
  }

 private:
  template <class Inverse>
  KALABA_FN X value_of(Inverse& inverse) const {
    const X value = inverse.least_value(look_value);
    return select(first < X(look_value), min_of(value, inverse.shortest()), value);
  }
  /// Stages behind one that lies in a singular position start from its rate, and their values mean nothing.
  KALABA_FN void note_value(const X& value) {
    latest = select(clear, value, latest);
    least = select(clear, min_of(least, value), least);
    most = select(clear, max_of(most, known(value)), most);
    clear = both(clear, !(value < X(1.0 / 64) * max_of(most - least, steepest)));
  }

  KALABA_FN static X known(const X& value) { return select(value < X(look_value), value, X(0)); }

  static constexpr double root_epsilon = Limits<Scalar<X>>::epsilon > 1e-10 ? 3.5e-4 : 1.5e-8;
};

}  // namespace kalaba
