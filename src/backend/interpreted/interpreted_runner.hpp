#pragma once

#include <memory>
#include <string>

#include "backend/interpreted/loop_table.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// A runner that interprets the model's formulas on packs of members, by the core's own loops: for where no compiler
/// serves. Null where `problem` says why not.
std::unique_ptr<Runner> interpreted_runner(const System& system, const Options& options, std::string& problem);

/// Whether there is a loop for it; its metric and its formulas are not looked at.
bool may_be_interpreted(const System& system, const Options& options);

/// Whether the loop's bounds hold the system. Rows that fill up hold a rate each; a single row has ways of its own, and
/// none has, so that both stay alone.
bool is_wide_enough(const InterpretedLoop& loop, const SystemInfo& info);

/// The same by this loop, whatever others there are.
std::unique_ptr<Runner> interpreted_by(const InterpretedLoop& loop, const System& system, const Options& options,
                                       std::string& problem);

}  // namespace kalaba
