#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/sensitivity.hpp"

namespace kalaba {

// HTML tables of how outputs go with what was varied, shaded by sign and size; "" where there is none.

/// What the members' design shows: shares of variance and which way they go, or changes of one at a time; correlations
/// in the hover text.
std::string sensitivity_table(const Sensitivity& data);
/// Pearson's correlations at the last saved time that a run's statistics hold:
std::string correlation_table(const EnsembleStatistics& statistics);

}  // namespace kalaba
