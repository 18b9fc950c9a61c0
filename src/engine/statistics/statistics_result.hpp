#pragma once

#include <limits>

#include "engine/statistics/component_statistics.hpp"

namespace kalaba {

/// A statistic of no members.
inline constexpr double of_none = std::numeric_limits<double>::quiet_NaN();

/// Makes room for what is asked for of a field whose layout is known, with gradients along as many sensitivities: NaN,
/// and 0 where members are counted.
void make_room(FieldStatistics& field, std::size_t times, const StatisticsOptions& asked, std::size_t along);

/// Puts what was found of one component at one time at its place, time * components + component. Returns the error in
/// rank of its quantiles, as a share of the members that count.
double put_result(const ComponentStatistics& found, const StatisticsOptions& asked, std::size_t place,
                  FieldStatistics& field);

}  // namespace kalaba
