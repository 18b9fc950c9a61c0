#pragma once

#include "kalaba/core/inverse/rank_rule.hpp"

namespace kalaba {

/// Distance of a member from a singular position of its constraints within a step, measured by the smallest singular
/// value that counts (of unit rows). In a singular position values pass through zero, as a slope times |t - t_0|, and
/// branches of the motion cross. A direction with a small value is rotated by (distance from the constraints) / value.
/// Near such a position every stage is therefore projected onto the constraints before its rate is computed, and no
/// stage with a weight in the step lies exactly in it.
template <class X>
struct Passage {
  static constexpr double look_value = 0.25;  ///< larger values need not be known, and are not computed
  /// Values below have a rounding error of velocities (epsilon / value^2) above 1e-4.
  static constexpr double least_resolved = Limits<Scalar<X>>::epsilon > 1e-10 ? 0.035 : 1.5e-6;

  X first;   ///< at the beginning of the step
  X latest;  ///< at the last stage
  X least;
  X most;           ///< largest of the known values
  X steepest;       ///< largest change from one node to the next, per step length
  MaskOf<X> clear;  ///< true if the rates of the stages so far are valid

  /// Stores the value at the beginning of a step: the smallest singular value, or the smallest relative length of a
  /// row.
  template <class Inverse>
  KALABA_FN void begin(Inverse& inverse) {
    first = latest = least = min_of(inverse.least_value(look_value), inverse.shortest());
    most = known(first);
    steepest = X(0);
    clear = X(0) < X(1);
  }
  /// Stores the value at the next stage. The relative lengths of rows are computed at later stages only for lanes that
  /// have a singular position in sight, and possibly for their neighbours.
  template <class Inverse>
  KALABA_FN void note(Inverse& inverse) {
    note_value(value_of(inverse));
  }
  /// Returns true if some lane has a singular position in sight. Equal steps that are short enough to resolve a
  /// singular position have it in sight before they come near, so later stages need not be examined if no lane has.
  KALABA_FN bool in_sight() const { return any(first < X(look_value)); }
  /// After such a step: resets the values of members without a singular position in sight, which may be those of their
  /// neighbours.
  KALABA_FN void forget_unseen() { least = select(first < X(look_value), least, X(look_value)); }
  /// `note` for nodes in ascending order, `apart` as a fraction of the step.
  template <class Inverse>
  KALABA_FN void note_next(Inverse& inverse, double apart) {
    const X value = value_of(inverse);
    const MaskOf<X> both_known = both(clear, both(value < X(look_value), latest < X(look_value)));
    steepest = max_of(steepest, select(both_known, abs(value - latest) * X(1 / apart), X(0)));
    note_value(value);
  }

  /// Change of the value per step if a singular position lies within `steps` steps, else 0; within 8 times as many if
  /// the value is below `noisy`, where rounding soon makes steps shorter. A member that was near before (with this
  /// `speed`) leaves at twice the distance.
  KALABA_FN X speed(double steps, const X& noisy, const X& before) const {
    const X change = max_of(most - least, steepest);
    const X reach = X(steps) * change * select(X(0) < before, X(2), X(1)) * select(least < noisy, X(8), X(1));
    return select(both(least < X(near_value), least < reach), change, X(0));
  }
  /// Least value at the ends of a step with this `speed`, and at its stages with a weight: it may cross the position
  /// (`split`).
  KALABA_FN X least_with_weight(const X& speed) const {
    const X at_ends = select(clear, min_of(first, latest), first);
    return min_of(max_of(least, X(0.125) * speed), at_ends);
  }

  /// Returns the lanes in which the value passes through zero in the step, as far as it is known.
  KALABA_FN MaskOf<X> crosses() const { return both(least < X(near_value), first <= X(2) * (most - least)); }

  /// Fraction of the step at which it is split; 0 if it need not be. The stages with a weight are at a quarter, a half
  /// and three quarters of each part, and the zero then lies in the middle of the gap between the parts: at least an
  /// eighth of a step from any stage.
  KALABA_FN X split() const {
    const MaskOf<X> moves = X(0) < steepest;
    const X place = first / select(moves, steepest, X(1));
    const MaskOf<X> inside = both(X(0.125) < place, place < X(0.875));
    // After a zero, the value has risen less than it would have from the beginning on.
    const MaskOf<X> crosses = latest < first + X(0.5) * steepest;
    return select(both(both(moves, inside), crosses), (place - X(0.125)) * X(4.0 / 3), X(0));
  }

  /// Rank rule for the projection of a stage or of the end of a step if values change by `speed` per step. Below some
  /// value a correction contains more rounding than error; at an end, whose rate has no weight, that is no loss.
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
  /// Stages after one that lies in a singular position start from its rate; their values are meaningless.
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
