#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/data/shown_components.hpp"

namespace kalaba {

/// The gnuplot text of one panel: a component of a field over time, from statistics alone. Mean, and the band between
/// the outermost quantiles; where there are none, between least and greatest; else of one standard deviation about the
/// mean.
std::string statistics_panel(const EnsembleStatistics& statistics, const FieldStatistics& field,
                             const ShownComponent& shown);

}  // namespace kalaba
