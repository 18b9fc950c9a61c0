#pragma once

#include "formula/text/names.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Makes the parameters, coordinates and rates of a system known by their names and units. A unit that is written as no
/// unit of ours may be any.
void add_names(const SystemInfo& system, Names& names, Units& units);

/// Adds these, and quantities derived from the state; energy and multipliers are of any unit (WatchedRows).
void add_names_at_changes(const SystemInfo& system, Names& names, Units& units);

/// Adds the names of a system, of any unit, and of quantities derived from the state: energy, invariants, and
/// multipliers as lambda_1, lambda_2 … (WatchedRows).
void add_watched_names(const SystemInfo& system, Names& names);

}  // namespace kalaba::formula
