#pragma once

#include <string>

#include "check/verdict.hpp"

namespace kalaba {

/// Returns one line per system and backend of consecutive verdicts: their number, the worst and the result.
std::string check_overview(const check::Verdicts& verdicts);

/// Returns one line per verdict.
std::string check_table(const check::Verdicts& verdicts);

/// "812 checks, 0 failed, 4 not run"
std::string check_summary(const check::Verdicts& verdicts);

/// Number of verdicts with this outcome.
long count(const check::Verdicts& verdicts, check::Outcome outcome);

}  // namespace kalaba
