#pragma once

#include "kalaba/core/base/team.hpp"
#include "kalaba/core/events/expression_value.hpp"
#include "kalaba/core/events/zero_search.hpp"

namespace kalaba {

/// Value of an operand (Watch::operands).
template <class X>
KALABA_FN X operand_value(const Watch& watch, int i, const X* p, const StateView<X>& state) {
  const WatchedOperand& operand = watch.operands[i];
  return value_of(watch.events[operand.event].continuous().code + operand.first, operand.size, p, state);
}

namespace detail {

/// Number of zeros that samples of a value allow in part i: its change of sign, and two for a minimum near zero. The
/// value of a condition is not zero where its continuous expression is.
template <class X>
KALABA_FN X zeros_shown(const PartEnds<X>& samples, int parts, int i, bool is_condition) {
  const X& a = samples[i];
  const X& b = samples[i + 1];
  const MaskOf<X> is_change = either(both(a < X(0), X(0) < b), both(X(0) < a, b < X(0)));
  Dip<X> dip;
  X guess;
  const X sign = select(either(a < X(0), both(a == X(0), b < X(0))), X(-1), X(1));
  const MaskOf<X> dips = Dip<X>::find(samples, parts, i, sign, dip, guess);
  X zeros = select(is_change, X(1), X(0)) + select(dips, X(2), X(0));
  // The sign between may differ from those before and behind a zero.
  zeros = zeros + select(a == X(0), X(i > 0 || is_condition ? 2 : 1), X(0));
  return i + 1 == parts ? zeros + select(b == X(0), X(1), X(0)) : zeros;
}

/// Returns the lanes in which samples allow more than one zero of an event in a step, or of its operands in one part.
template <class X>
KALABA_FN MaskOf<X> shows_many(const Watch& watch, int event, const PartEnds<X>* samples, int parts) {
  const bool is_condition = watch.events[event].margin.size > 0;
  X zeros(0);
  for (int i = 0; i < parts; ++i) zeros = zeros + zeros_shown(samples[event], parts, i, is_condition);
  MaskOf<X> many = X(2) <= zeros;
  if (!watch.has_operands(event)) return many;
  for (int i = 0; i < parts; ++i) {
    X in_part(0);
    for (int k = 0; k < watch.operand_count; ++k) {
      if (watch.operands[k].event != event) continue;
      const PartEnds<X>& operand = samples[watch.operand(k)];
      const MaskOf<X> varies = !both(operand[i] == X(0), operand[i + 1] == X(0));
      in_part = in_part + select(varies, zeros_shown(operand, parts, i, true), X(0));
    }
    many = either(many, X(2) <= in_part);
  }
  return many;
}

/// Replaces the samples of the operands of an event at the end of part i - 1, in the lanes `where`, by the values in a
/// state.
template <class X>
KALABA_FN void sample_operands(const Watch& watch, int event, const X* p, const StateView<X>& state,
                               const MaskOf<X>& where, int i, PartEnds<X>* samples) {
  for (int k = 0; k < watch.operand_count; ++k) {
    if (watch.operands[k].event != event) continue;
    X& sample = samples[watch.operand(k)][i];
    sample = select(where, operand_value(watch, k, p, state), sample);
  }
}

/// The zeros of the operands of an event in a part of a step. Between two neighbouring ones the sign of the event is
/// constant, however near they are to each other.
template <class X>
struct OperandZeros {
  X places[Watch::most_operands > 0 ? 2 * Watch::most_operands : 1];
  int count = 0;
  X passed;  ///< the last one that `next` has passed

  /// Finds them in part i, between two places, in the lanes `open`: at most two of each operand, one where its sign
  /// changes in the part, two beside a minimum beyond zero.
  template <class Team, class Step>
  KALABA_FN void find(const Team& team, const Watch& watch, int event, const X* p, const MaskOf<X>& open,
                      const PartEnds<X>* samples, int i, const X& from, const X& to, const X& tolerance,
                      const Step& step) {
    passed = from;
    for (int k = 0; k < watch.operand_count; ++k) {
      if (watch.operands[k].event != event) continue;
      find_of(team, watch, k, p, open, samples[watch.operand(k)], i, from, to, tolerance, step);
    }
  }
  /// Gives the place of the next `turn`: the middle between the next zero and the one behind it, or `end`. Returns the
  /// lanes with one.
  KALABA_FN MaskOf<X> next(const X& begin, const X& end, X& turn) {
    passed = max_of(passed, begin);
    X zero = end;
    for (int i = 0; i < count; ++i) zero = select(both(passed < places[i], places[i] < zero), places[i], zero);
    X behind = end;
    for (int i = 0; i < count; ++i) behind = select(both(zero < places[i], places[i] < behind), places[i], behind);
    const MaskOf<X> some = zero < end;
    turn = select(some, X(0.5) * (zero + behind), turn);
    passed = select(some, zero, passed);
    return some;
  }

 private:
  template <class Team, class Step>
  KALABA_FN void find_of(const Team& team, const Watch& watch, int operand, const X* p, const MaskOf<X>& open,
                         const PartEnds<X>& ends, int i, const X& from, const X& to, const X& tolerance,
                         const Step& step) {
    const X& a = ends[i];
    const X& b = ends[i + 1];
    const MaskOf<X> changes = both(open, either(both(a < X(0), X(0) < b), both(X(0) < a, b < X(0))));
    Dip<X> dip;
    X guess;
    const X sign = select(either(a < X(0), both(a == X(0), b < X(0))), X(-1), X(1));
    const MaskOf<X> varies = !both(a == X(0), b == X(0));
    MaskOf<X> dips = both(both(open, varies), both(!changes, Dip<X>::find(ends, step.parts(), i, sign, dip, guess)));
    dip.left = from;
    dip.right = to;
    const auto look = [&](const X& place) KALABA_LAMBDA { return operand_value(watch, operand, p, step.look(place)); };
    ValueAt<X> turn = {to, b};
    if (team.any(dips)) {
      const auto both_of = [&](const X& place) KALABA_LAMBDA {
        const X value = look(place);
        return ValueAndMargin<X>{value, value};
      };
      dips = turn_within(team, dips, dip, guess, sign, both_of, turn);
    }
    for (int side = 0; side < 2; ++side) {
      const MaskOf<X> crossing = side == 0 ? either(changes, dips) : dips;
      X place(2);
      if (team.any(crossing)) {
        const X rising = side == 0 ? -sign : sign;
        Bracket<X> bracket;
        bracket.from = side == 0 ? from : turn.place;
        bracket.to = side == 0 ? turn.place : to;
        bracket.radius = bracket.to - bracket.from;
        bracket.below = rising * (side == 0 ? a : turn.value);
        bracket.above = rising * (side == 0 ? turn.value : b);
        const auto value = [&](const X& at) KALABA_LAMBDA { return rising * look(at); };
        narrow(team, crossing, tolerance, value, bracket);
        place = select(crossing, bracket.to, place);
      }
      places[count++] = place;
    }
  }
};

}  // namespace detail

}  // namespace kalaba
