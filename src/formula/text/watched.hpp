#pragma once

#include <string>

#include "formula/graph/fault.hpp"
#include "formula/graph/graph.hpp"
#include "kalaba/core/events/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// A text as what a motion is watched by.
struct Watched {
  Expression program;
  bool changes;       ///< is of more than parameters
  bool is_condition;  ///< a comparison, whose program gives 1 where it holds and -1 where not
  Expression margin;  ///< of a condition: WatchedEvent::margin
  bool held = false;  ///< of an event: WatchedEvent::held
};

/// Program of a node of a model's graph: an expression of t, coordinates, rates and parameters. `whole`: its place in
/// messages. Throws Fault.
Expression watched_program(const Graph& graph, Id id, Span whole);

/// The program of an expression of a system's numbers: parameters, coordinates, rates, t, and what WatchedRows has of
/// them. Units are not compared: all numbers are in SI units. Throws Fault.
Watched read_watched(const std::string& text, const SystemInfo& system);

/// Likewise of an event: a value that constraints of the system hold at zero is 0 meanwhile (zero_while_held).
Watched read_event(const std::string& text, const SystemInfo& system);

/// Number of a system that a change sets.
struct Target {
  Settable sort;
  int index;
};
/// Throws Fault for a name that no change may set.
Target target_of(const std::string& name, const SystemInfo& system);

/// Program of the new value of a target: an expression of the parameters, coordinates, rates and t before the change,
/// in the unit of the target. A number without a unit takes that unit. Throws Fault.
Expression read_new_value(const std::string& text, const std::string& target, const SystemInfo& system);

}  // namespace kalaba::formula
