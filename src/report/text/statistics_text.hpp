#pragma once

#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// What the statistics of a run are of and how good its quantiles are, for people: one line without its end.
std::string statistics_text(const SystemInfo& system, const Options& options, long members);

}  // namespace kalaba
