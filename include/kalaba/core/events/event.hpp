#pragma once

#include "kalaba/core/base/operation.hpp"
#include "kalaba/core/events/impact_law.hpp"

namespace kalaba {

/// One operation on a stack of numbers.
struct Instruction {
  Operation operation = Operation::number;
  int index = 0;     ///< of a parameter, coordinate, rate or row; exponent of `raise`
  double value = 0;  ///< of `number`
};

/// An expression of a member's numbers in postfix order: the number that remains on the stack is its value.
struct Expression {
  static constexpr int most_instructions = 128;
  static constexpr int most_numbers = 16;  ///< on the stack at once

  int size = 0;
  Instruction code[most_instructions] = {};

  /// Returns true if it uses numbers that are derived from the state (WatchedRows).
  KALABA_FN constexpr bool observes() const {
    for (int i = 0; i < size; ++i) {
      if (code[i].operation == Operation::observed) return true;
    }
    return false;
  }
};

/// Direction in which an expression must cross zero.
enum class Crossing : int { falling = -1, any = 0, rising = 1 };

/// Effect of an event on the member: it ends the motion, or is only recorded.
enum class EventAction : int { stop = 0, record = 1 };

/// Numbers of a member that a change may set; a discrete variable is one of its parameters.
enum class Settable : int { coordinate = 0, rate = 1, discrete = 2 };

/// One number that a change sets: to the value of instructions [first, first + size) of Watch::code.
struct Assignment {
  Settable sort = Settable::discrete;
  int index = 0;
  int first = 0;
  int size = 0;
  int source = 0;  ///< of noise: number of the white noise along this rate
};

/// A change of a member at one instant: assignments [first, first + count) of a Watch. Their values are computed from
/// the state before the change.
struct Change {
  int first = 0;
  int count = 0;
  bool moves = false;     ///< it sets a coordinate, or a number on which the constraints of position may depend
  bool settles = false;   ///< event of a contact: the change is that of the contacts
  bool observes = false;  ///< its values use numbers derived from the state (WatchedRows)

  KALABA_FN constexpr bool any() const { return count > 0 || settles; }
};

/// A change at the times offset + k every, k = 0, 1, ..., that are not before the start of the run.
struct WatchedClock {
  double every = 1;
  double offset = 0;
  Change change = {};
  /// The parameter with the key of a member's random numbers, if the clock is that of noise; else -1. Its change is
  /// then a kick along the rates that it assigns to (MemberWorkspace::kick).
  int noise_key = -1;
};

struct WatchedEvent {
  Crossing direction = Crossing::any;
  EventAction action = EventAction::stop;
  Expression expression = {};
  /// Continuous expression with the sign of a condition, whose expression is 1 or -1. Empty for other expressions.
  Expression margin = {};
  Change change = {};
  int contact = -1;   ///< index of the contact whose event it is; -1: none
  bool held = false;  ///< its value is 0 while certain constraints, which hold it at zero, act

  /// Returns true if the event stops or changes the member, so that its step ends there.
  KALABA_FN constexpr bool ends_step() const { return action == EventAction::stop || change.any(); }
  /// Expression that measures the distance of the event from zero.
  KALABA_FN constexpr const Expression& continuous() const { return margin.size > 0 ? margin : expression; }
};

/// Friction of a contact along a line or in a plane. The value of its event (friction_event) falls to zero where the
/// friction of a contact that sticks reaches mu times its pressure, and where a contact that slides comes to rest or
/// its slip has turned by a right angle.
struct WatchedFriction {
  int tangent = 0;  ///< row of the constraints: sticks * slip; 0: the contact has no friction
  int second = 0;   ///< row of the other slip, the next one, of friction in a plane; else 0
  int event = 0;
  int sticks = 0;  ///< parameter: 1 while the contact is closed and sticks, else 0
  /// parameter: 0 unless the contact is closed and slides; then the sign of the slip, or 1 for friction in a plane
  int slides = 0;
  /// parameters of friction in a plane: direction of the slip where the contact began to slide; 0 if it does not
  int way[2] = {};
  int least = 0;                ///< parameter: slip below which friction in a plane keeps that direction
  int slack = 0;                ///< parameter: rounding error of the slip where the contact began to slide
  int force = 0;                ///< observed row: multiplier of `tangent`; that of `second` is the next
  Expression coefficient = {};  ///< mu

  KALABA_FN constexpr bool any() const { return tangent > 0; }
  KALABA_FN constexpr bool in_plane() const { return second > 0; }
};

/// A contact. The value of its event (contact_event) is the multiplier of its row while it is closed; while it is open,
/// the gap plus `slack`, or a small positive number if that is larger and the gap increases. The contact changes where
/// the value falls to zero.
struct WatchedContact {
  int event = 0;
  int row = 0;    ///< of the constraints: mode * gap
  int mode = 0;   ///< parameter: 1 closed, 0 open
  int slack = 0;  ///< parameter: depth below which an open contact closes, for contacts that have just opened; else 0
  // Observed rows (WatchedRows):
  int force = 0;  ///< multiplier of the row
  int gap = 0;
  int gap_rate = 0;
  ImpactLaw law = ImpactLaw::newton;
  Expression restitution = {};
  WatchedFriction friction = {};
};

/// Value of the event of a contact.
constexpr Expression contact_event(const WatchedContact& contact) {
  Expression value;
  const auto add = [&](const Instruction& next) { value.code[value.size++] = next; };
  add({Operation::parameter, contact.mode});
  add({Operation::observed, contact.force});
  add({Operation::observed, contact.gap});
  add({Operation::number, 0, 0.0});
  add({Operation::observed, contact.gap_rate});
  add({Operation::less});
  add({Operation::number, 0, 1e-30});
  add({Operation::number, 0, -1e30});
  add({Operation::select});
  add({Operation::max});
  add({Operation::parameter, contact.slack});
  add({Operation::add});
  add({Operation::select});
  return value;
}

/// Value of the event of the friction of a contact: 1 while it is open; while it sticks, mu (1 + 2^-40) lambda_n -
/// |lambda_t|; while it slides, its slip along the direction in which it began to slide, plus slack. The part 2^-40
/// hides rounding errors. `second_slip`: of friction in a plane. Returns an expression without instructions if it is
/// too long.
constexpr Expression friction_event(const WatchedContact& contact, const Expression& slip,
                                    const Expression& second_slip) {
  const WatchedFriction& friction = contact.friction;
  const bool in_plane = friction.in_plane();
  Expression value;
  if (friction.coefficient.size + slip.size + second_slip.size + 24 > Expression::most_instructions) return value;
  const auto add = [&](const Instruction& next) { value.code[value.size++] = next; };
  const auto add_all = [&](const Expression& next) {
    for (int i = 0; i < next.size; ++i) add(next.code[i]);
  };
  const auto add_square = [&](int observed) {
    add({Operation::observed, observed});
    add({Operation::observed, observed});
    add({Operation::multiply});
  };
  add({Operation::parameter, contact.mode});
  add({Operation::parameter, friction.sticks});
  add_all(friction.coefficient);
  add({Operation::observed, contact.force});
  add({Operation::multiply});
  add({Operation::number, 0, 1 + 0x1p-40});
  add({Operation::multiply});
  if (in_plane) {
    add_square(friction.force);
    add_square(friction.force + 1);
    add({Operation::add});
    add({Operation::sqrt});
  } else {
    add({Operation::observed, friction.force});
    add({Operation::abs});
  }
  add({Operation::subtract});
  add({Operation::parameter, in_plane ? friction.way[0] : friction.slides});
  add_all(slip);
  add({Operation::multiply});
  if (in_plane) {
    add({Operation::parameter, friction.way[1]});
    add_all(second_slip);
    add({Operation::multiply});
    add({Operation::add});
  }
  add({Operation::parameter, friction.slack});
  add({Operation::add});
  add({Operation::select});
  add({Operation::number, 0, 1.0});
  add({Operation::select});
  return value;
}

/// An operand of the min, max and negations at the root of the continuous expression of an event, as of a condition of
/// several comparisons: instructions [first, first + size) of it. Its sign changes only where that of an operand does.
struct WatchedOperand {
  int event = 0;
  int first = 0;
  int size = 0;
};

/// The events and clocks of a run. Like Method, a run-time value on the CPU and a compile-time constant in a CUDA
/// kernel.
struct Watch {
  /// Kernels that make no changes leave out their code.
  static constexpr bool makes_changes = KALABA_MAKES_CHANGES;
  static constexpr int most_events = KALABA_EVENTS;  ///< a set of events is a whole number (Flags)
  static constexpr int most_single_events = 24;      ///< in single precision
  static constexpr int most_clocks = 4;
  static constexpr int most_contacts = most_events;
  static constexpr int most_values = makes_changes ? most_events + 2 * most_contacts : most_events;
  static constexpr int most_assignments = makes_changes ? 256 : 1;  ///< of all changes
  static constexpr int most_operands = KALABA_OPERANDS;             ///< of all events
  static constexpr int most_samples = most_values + most_operands;
  static constexpr int most_set = 64;                                 ///< assignments of one change
  static constexpr int most_instructions = makes_changes ? 2048 : 1;  ///< of all assignments

  int count = 0;
  WatchedEvent events[most_events] = {};
  /// Inputs of the expressions besides the state; they are computed only if an expression uses them.
  bool energy = false;
  bool invariants = false;
  bool multipliers = false;
  int contact_count = 0;
  WatchedContact contacts[most_contacts] = {};
  ImpactOrder impacts = ImpactOrder::simultaneous;
  int clock_count = 0;
  WatchedClock clocks[most_clocks] = {};
  Assignment assignments[most_assignments] = {};
  Instruction code[most_instructions] = {};
  double time_size = 0;        ///< s: largest term of the times of the run besides these themselves, that of its start
  double step = 0;             ///< s: length of equal steps; 0 for adaptive ones
  int first_discrete = 0;      ///< index of the first discrete variable in a member's parameters
  bool events_change = false;  ///< some event changes the member
  int operand_count = 0;       ///< of the events with more than one
  WatchedOperand operands[most_operands > 0 ? most_operands : 1] = {};

  KALABA_FN constexpr bool has_changing_events() const { return makes_changes && events_change; }
  KALABA_FN constexpr bool has_clocks() const { return makes_changes && clock_count > 0; }
  KALABA_FN constexpr bool has_contacts() const { return makes_changes && contact_count > 0; }
  KALABA_FN constexpr bool changes() const { return has_changing_events() || has_clocks(); }
  KALABA_FN constexpr bool observes() const { return energy || invariants || multipliers || has_contacts(); }
  KALABA_FN constexpr bool any() const { return count > 0 || has_clocks(); }

  /// Places in the values that are computed at an instant: those of the events, and behind them the gap and the rate of
  /// the gap of every contact.
  KALABA_FN constexpr int values() const { return has_contacts() ? count + 2 * contact_count : count; }
  KALABA_FN constexpr int gap(int contact) const { return count + 2 * contact; }
  KALABA_FN constexpr int gap_rate(int contact) const { return gap(contact) + 1; }
  /// Places behind them in samples of a step: those of the operands.
  KALABA_FN constexpr int operand(int i) const { return values() + i; }
  KALABA_FN constexpr int samples() const { return operand(operand_count); }
  KALABA_FN constexpr bool has_operands(int event) const {
    for (int i = 0; i < operand_count; ++i) {
      if (operands[i].event == event) return true;
    }
    return false;
  }
};

/// Rows of numbers derived from a member's state that expressions may use.
struct WatchedRows {
  int invariants;
  int constraints;
  int contacts = 0;

  KALABA_FN constexpr int energy() const { return 0; }
  KALABA_FN constexpr int invariant(int i) const { return 1 + i; }
  KALABA_FN constexpr int multiplier(int r) const { return 1 + invariants + r; }
  KALABA_FN constexpr int gap(int contact) const { return multiplier(constraints) + contact; }
  KALABA_FN constexpr int gap_rate(int contact) const { return gap(contacts) + contact; }
  KALABA_FN constexpr int rows() const { return gap_rate(contacts); }
};

/// Rows that store the events of the members, one number per member in each row.
struct EventRows {
  int coordinates;
  int rates;
  int columns = 0;  ///< of sensitivities

  KALABA_FN constexpr int each() const { return 3 + columns + (1 + columns) * (coordinates + rates); }
  KALABA_FN constexpr int ends() const { return 0; }  ///< s: time at which an event ends the member; NaN if none did
  KALABA_FN constexpr int cut() const { return 1; }  ///< s: time of a change that is not yet made; NaN if there is none
  KALABA_FN constexpr int fired() const { return 2; }    ///< sum of 2^event of the events of the next change (Flags)
  KALABA_FN constexpr int window() const { return 3; }   ///< s: begin of the length dt in which changes are counted
  KALABA_FN constexpr int changes() const { return 4; }  ///< number of changes in it
  KALABA_FN constexpr int ticked() const { return 5; }   ///< s: time up to which ticks are made, before `cut`
  KALABA_FN constexpr int leaves() const { return 6; }  ///< Flags of the events whose value has not left zero (Leaving)
  KALABA_FN constexpr int count(int event) const { return 7 + event * each(); }
  KALABA_FN constexpr int first(int event) const { return count(event) + 1; }  ///< s, NaN before the first
  KALABA_FN constexpr int last(int event) const { return count(event) + 2; }   ///< s, NaN before the first
  KALABA_FN constexpr int q(int event) const { return count(event) + 3; }      ///< of the state at the first event
  KALABA_FN constexpr int w(int event) const { return q(event) + coordinates; }
  /// Derivatives at the first event: [column], [column][coordinate], [column][rate].
  KALABA_FN constexpr int time_slopes(int event) const { return w(event) + rates; }
  KALABA_FN constexpr int q_slopes(int event) const { return time_slopes(event) + columns; }
  KALABA_FN constexpr int w_slopes(int event) const { return q_slopes(event) + columns * coordinates; }
  /// Number of rows; none for a run without events and clocks.
  KALABA_FN constexpr int rows(int events, bool has_clocks = false) const {
    return events > 0 || has_clocks ? count(events) : 0;
  }
};

}  // namespace kalaba
