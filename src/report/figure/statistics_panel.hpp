#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/data/shown_statistics.hpp"

namespace kalaba {

/// gnuplot text of one panel: a component of a field over time, from statistics only. Shows the mean, and the band
/// between the outermost quantiles; without quantiles between minimum and maximum; otherwise of one standard deviation
/// about the mean.
std::string statistics_panel(const EnsembleStatistics& statistics, const FieldStatistics& field,
                             const ShownComponent& shown);

}  // namespace kalaba
