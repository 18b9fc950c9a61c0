#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kalaba/core/event.hpp"
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

/// Something that may happen to a member: an expression of its state reaches zero.
///
/// It happens within a step, or a part of one, at whose beginning the expression is not zero, and at whose end it has the
/// other sign or is zero: so not at the start. A step is divided where samples of it show several changes of sign, or
/// that the expression turns near zero. A change of sign at a pole is no zero: nothing happens where the expression is
/// not finite, or differs by more between the two sides of the place found than between the two ends of that part. The
/// time is found, to rounding, where the expression has just reached zero, on the
/// same motion that saved times between steps see: that of a shorter RK4 step, or an adaptive step's continuous
/// extension, put on the constraints where the method projects. The motion itself is the same, bit for bit, as without
/// events, until one stops it.
///
/// A comparison, with `and`, `or` and `not`, is a condition: it counts as 1 where it holds and as -1 where not, so that
/// it rises where it comes to hold and falls where it ceases to. One that holds at the start has not come to hold.
struct Event {
  static constexpr std::size_t longest_name = 64;

  std::string name;  ///< letters, digits and _, none twice, at most longest_name of them
  /// Of the coordinates, rates and parameters, t and pi, and of energy, invariants and multipliers (lambda_1 …), in the
  /// grammar and with the functions of models as text. All numbers are in SI units.
  std::string when;
  Crossing direction = Crossing::any;
  EventAction action = EventAction::stop;  ///< stop: the member has Status::stopped from then on and keeps its state
};

/// What was expected of the name of an event behind those `before`; empty where it is one.
std::string fault_of_name(const std::string& name, std::span<const Event> before);

/// What is wrong with an expression, and where.
class ExpressionError : public Error {
 public:
  ExpressionError(const std::string& message, std::size_t place, std::string word, std::vector<std::string> words)
      : Error(ExitCode::bad_input, message), place(place), word(std::move(word)), words(std::move(words)) {}

  std::size_t place;               ///< of the character, from 0
  std::string word;                ///< that is not known; empty where something else is wrong
  std::vector<std::string> words;  ///< that are known
};

/// The program of a number of a system's coordinates, rates, parameters and t. Throws ExpressionError.
Expression read_expression(const std::string& text, const SystemInfo& system);

/// The programs of all events. Throws Error(bad_input) where an event has no proper name or expression, where two have
/// one name, or where there are more than Watch::most_events.
Watch watch_of(const std::vector<Event>& events, const SystemInfo& system);

}  // namespace kalaba
