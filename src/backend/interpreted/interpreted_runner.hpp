#pragma once

#include <memory>
#include <string>

#include "backend/interpreted/loop_table.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Returns a runner that interprets the model's formulas on packs of members with the core's loops, for machines
/// without a usable compiler. Null if `problem` states a reason.
std::unique_ptr<Runner> interpreted_runner(const System& system, const Options& options, std::string& problem);

/// Returns true if there is a loop for the options; the model's metric and formulas are not checked.
bool may_be_interpreted(const System& system, const Options& options);

/// Returns true if the system fits the loop's bounds. Each padding row takes one rate. Systems with a single row or
/// with no row use special code and are not padded.
bool is_wide_enough(const InterpretedLoop& loop, const SystemInfo& info);

/// As interpreted_runner, with this loop even if there are others.
std::unique_ptr<Runner> interpreted_by(const InterpretedLoop& loop, const System& system, const Options& options,
                                       std::string& problem);

}  // namespace kalaba
