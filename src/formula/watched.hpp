#pragma once

#include <string>

#include "formula/fault.hpp"
#include "kalaba/core/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// A text as what a motion is watched by.
struct Watched {
  Expression program;
  bool changes;       ///< is of more than parameters
  bool is_condition;  ///< a comparison, whose program gives 1 where it holds and -1 where not
  Expression margin;  ///< of a condition: WatchedEvent::margin
};

/// The program of an expression of a system's numbers: parameters, coordinates, rates, t, and what WatchedRows has of
/// them. Units are not compared: all numbers are in SI units. Throws Fault.
Watched read_watched(const std::string& text, const SystemInfo& system);

}  // namespace kalaba::formula
