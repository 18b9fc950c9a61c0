#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/data/sensitivity.hpp"

namespace kalaba {

// HTML tables of the dependence of outputs on inputs, shaded by sign and magnitude; "" without data.

/// Results for the members' design: shares of variance with their signs, or changes of a one-at-a-time design;
/// correlations as hover text.
std::string sensitivity_table(const Sensitivity& data);
/// Sobol' indices, first-order and total for every output and input.
std::string sobol_table(const Sensitivity& data);
/// Normalized derivatives: means over the members, ± their standard deviation.
std::string local_table(const LocalIndices& data);
/// Gradients of statistics at the last saved time, without units.
std::string gradient_table(const EnsembleStatistics& statistics);
/// Pearson's correlations at the last saved time, from the statistics of a run.
std::string correlation_table(const EnsembleStatistics& statistics);

}  // namespace kalaba
