#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/sensitivity.hpp"

namespace kalaba {

/// HTML tables of how outputs at the last saved time go with what was varied, shaded by sign and size; "" where there
/// is none. Rank correlations of members, Pearson's in the hover text:
std::string correlation_table(const Sensitivity& data);
/// Pearson's correlations that a run's statistics hold:
std::string correlation_table(const EnsembleStatistics& statistics);

}  // namespace kalaba
