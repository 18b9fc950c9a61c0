#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kalaba/core/events/event.hpp"
#include "kalaba/error.hpp"

namespace kalaba {

struct SystemInfo;

constexpr std::string_view crossing_name(Crossing direction) {
  constexpr std::string_view names[] = {"falling", "any", "rising"};
  return names[static_cast<int>(direction) + 1];
}
constexpr std::string_view event_action_name(EventAction action) {
  return action == EventAction::stop ? "stop" : "record";
}

/// A number that a change sets: the name of a coordinate, a rate or a discrete variable, and an expression of its new
/// value.
struct NewValue {
  std::string target;
  /// Expression of the coordinates, rates, parameters and discrete variables before the change, t and pi.
  std::string value;
};

/// An event of a member: an expression of its state reaches zero.
///
/// It occurs within a step, or a part of one, if the expression is not zero at the beginning and has the other sign or
/// is zero at the end; it does not occur at the start. A step is divided if samples of it show several changes of sign,
/// or an extremum of the expression near zero. A change of sign at a pole is no zero: no event occurs if the expression
/// is not finite, or differs by more between the two sides of the place found than between the ends of that part and
/// between samples. The reported time, exact to rounding, is one at which the expression has just reached zero, on the
/// same motion as saved times between steps: that of a shorter RK4 step, or the continuous extension of an adaptive
/// step, projected onto the constraints if the method projects. The motion is bit for bit the same as without events,
/// until one stops it.
///
/// A comparison, with `and`, `or` and `not`, is a condition: its value is 1 if it is true and -1 if not. It rises when
/// it becomes true and falls when it becomes false. A condition that is true at the start has not become true.
struct Event {
  static constexpr std::size_t longest_name = 64;

  std::string name;  ///< letters, digits and _; unique, at most longest_name characters
  /// Expression of the coordinates, rates and parameters, t and pi, and of energy, invariants and multipliers (lambda_1
  /// …), in the grammar and with the functions of text models. All numbers are in SI units.
  std::string when;
  Crossing direction = Crossing::any;
  EventAction action = EventAction::stop;  ///< stop: the member then has Status::stopped and keeps its state
  /// Change of the member at the event, which must not stop it. All new values are computed from the state before the
  /// change. The member is then put on its constraints by the smallest correction in the metric.
  std::vector<NewValue> set = {};
  int contact = -1;      ///< index of the contact whose event it is (SystemInfo::contacts); set by `with_contacts`
  bool is_slip = false;  ///< the event of the contact is that of its friction: it begins or ends to slide
};

/// A change at the times offset + k every, k = 0, 1, ..., from the start of the run on. At the same instant, events
/// come first.
struct Clock {
  static constexpr int longest_delay = 32;

  std::string name;   ///< like that of an event; no event has it
  double every = 1;   ///< s
  double offset = 0;  ///< s
  int delay = 0;      ///< ticks from the computation of a value to its use; its targets are then discrete variables
  std::vector<NewValue> set = {};
};

/// Name of the discrete variable that stores a value of a clock with a delay, `ticks` ticks before its use.
std::string delayed_name(const std::string& target, const std::string& clock, int ticks);

/// The events that are not of contacts, followed by one for each contact of the system, with its name, and one for its
/// friction, called NAME_slip.
std::vector<Event> with_contacts(std::vector<Event> events, const SystemInfo& system);

/// Returns true if events or clocks change members, so that energy and invariants may change.
bool may_change(std::span<const Event> events, std::span<const Clock> clocks);

/// Error message for the name of an event that follows the events `before`; empty if the name is valid.
std::string fault_of_name(const std::string& name, std::span<const Event> before);

/// Error in an expression, with its position.
class ExpressionError : public Error {
 public:
  ExpressionError(const std::string& message, std::size_t place, std::string word, std::vector<std::string> words)
      : Error(ExitCode::bad_input, message), place(place), word(std::move(word)), words(std::move(words)) {}

  std::size_t place;               ///< index of the character, from 0
  std::string word;                ///< unknown word; empty for other errors
  std::vector<std::string> words;  ///< known words
};

/// Compiles a numeric expression of a system's coordinates, rates, parameters and t. Throws ExpressionError.
Expression read_expression(const std::string& text, const SystemInfo& system);

/// Compiles the expressions of all events and clocks. Throws Error(bad_input) for one without a valid name or
/// expression, for a repeated name, and for more of them than a Watch holds.
Watch watch_of(const std::vector<Event>& events, const SystemInfo& system, const std::vector<Clock>& clocks = {});

}  // namespace kalaba
