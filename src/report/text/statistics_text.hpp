#pragma once

#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// Description of a run's statistics and the accuracy of its quantiles: one line without a line break.
std::string statistics_text(const SystemInfo& system, const Options& options, long members);

}  // namespace kalaba
