#pragma once

#include <limits>

#include "engine/statistics/component_statistics.hpp"

namespace kalaba {

/// Value of a statistic without members.
inline constexpr double of_none = std::numeric_limits<double>::quiet_NaN();

/// Allocates the requested statistics of a field with known layout, with gradients along as many sensitivities: NaN,
/// and 0 for numbers of members.
void make_room(FieldStatistics& field, std::size_t times, const StatisticsOptions& requested, std::size_t along);

/// Writes the statistics of one component at one time to its place, time * components + component. Returns the rank
/// error of its quantiles, as a share of the members that count.
double put_result(const ComponentStatistics& found, const StatisticsOptions& requested, std::size_t place,
                  FieldStatistics& field);

}  // namespace kalaba
