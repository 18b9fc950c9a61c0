#pragma once

#include "kalaba/core/operation.hpp"

namespace kalaba {

/// One operation on a stack of numbers.
struct Instruction {
  Operation operation = Operation::number;
  int index = 0;     ///< of a parameter, coordinate, rate or row; the exponent of `raise`
  double value = 0;  ///< of `number`
};

/// An expression of a member's numbers in postfix order: what is left on the stack is its value.
struct Expression {
  static constexpr int most_instructions = 128;
  static constexpr int most_numbers = 16;  ///< on the stack at once

  int size = 0;
  Instruction code[most_instructions] = {};
};

/// Which way an expression must go through zero.
enum class Crossing : int { falling = -1, any = 0, rising = 1 };

/// What an event does to the member: it ends its motion, or is only noted.
enum class EventAction : int { stop = 0, record = 1 };

struct WatchedEvent {
  Crossing direction = Crossing::any;
  EventAction action = EventAction::stop;
  Expression expression = {};
  /// Of a condition, whose expression is 1 or -1: a continuous expression of the same sign. Else empty.
  Expression margin = {};

  /// The expression that shows how far from zero the event is.
  KALABA_FN constexpr const Expression& continuous() const { return margin.size > 0 ? margin : expression; }
};

/// The events of a run. Like Method, a value on the CPU and a compile-time constant in a CUDA kernel.
struct Watch {
  static constexpr int most_events = 8;

  int count = 0;
  WatchedEvent events[most_events] = {};
  /// What expressions are of beside the state, which costs where it is asked for.
  bool energy = false;
  bool invariants = false;
  bool multipliers = false;

  KALABA_FN constexpr bool observes() const { return energy || invariants || multipliers; }
};

/// Rows of numbers that are derived from a member's state, of which expressions may be.
struct WatchedRows {
  int invariants;
  int constraints;

  KALABA_FN constexpr int energy() const { return 0; }
  KALABA_FN constexpr int invariant(int i) const { return 1 + i; }
  KALABA_FN constexpr int multiplier(int r) const { return 1 + invariants + r; }
  KALABA_FN constexpr int rows() const { return multiplier(constraints); }
};

/// Rows of numbers, one a member, of what events leave of a member.
struct EventRows {
  int coordinates;
  int rates;
  int columns = 0;  ///< of sensitivities

  KALABA_FN constexpr int each() const { return 3 + columns + (1 + columns) * (coordinates + rates); }
  KALABA_FN constexpr int ends() const { return 0; }  ///< s: when an event ends the member; NaN: none was found
  KALABA_FN constexpr int count(int event) const { return 1 + event * each(); }
  KALABA_FN constexpr int first(int event) const { return count(event) + 1; }  ///< s, NaN before there is one
  KALABA_FN constexpr int last(int event) const { return count(event) + 2; }   ///< likewise
  KALABA_FN constexpr int q(int event) const { return count(event) + 3; }      ///< of the state at the first
  KALABA_FN constexpr int w(int event) const { return q(event) + coordinates; }
  /// Their derivatives, of the first too: [column], [column][coordinate], [column][rate].
  KALABA_FN constexpr int time_slopes(int event) const { return w(event) + rates; }
  KALABA_FN constexpr int q_slopes(int event) const { return time_slopes(event) + columns; }
  KALABA_FN constexpr int w_slopes(int event) const { return q_slopes(event) + columns * coordinates; }
  KALABA_FN constexpr int rows(int events) const { return events > 0 ? count(events) : 0; }
};

}  // namespace kalaba
