#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/data/sensitivity.hpp"

namespace kalaba {

// HTML tables of how outputs go with what was varied, shaded by sign and size; "" where there is none.

/// A cell's text, the darker the stronger it is of 0 ... 1.
std::string shaded(double strength, bool negative, const std::string& hover, const std::string& text);

/// What the members' design shows: shares of variance and which way they go, or changes of one at a time; correlations
/// in the hover text.
std::string sensitivity_table(const Sensitivity& data);
/// Derivatives without their units: means over the members, ± their standard deviation.
std::string local_table(const LocalIndices& data);
/// Gradients of statistics at the last saved time, with their units left to the file.
std::string gradient_table(const EnsembleStatistics& statistics);
/// Pearson's correlations at the last saved time that a run's statistics hold.
std::string correlation_table(const EnsembleStatistics& statistics);

}  // namespace kalaba
