#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/base/reader.hpp"

namespace kalaba {

/// Component of a field's statistics that a report shows.
struct ShownComponent {
  Column column;
  std::size_t place;  ///< index among the field's numbers per member, [component][agent]
};

inline constexpr long shown_agents = 3;

/// All components of a field; for a field per agent those of the first `shown_agents` agents, with their names in CSV
/// tables of statistics: x[0], x[1], ...
std::vector<ShownComponent> shown_components(const FieldLayout& layout);

/// Derivatives of a statistic of a component along each sensitivity, at the last saved time.
struct StatisticGradient {
  Column column;
  std::string statistic;  ///< "mean", "variance", "std" or "q0.05"
  std::vector<double> along;
};

/// Gradients of every component that has them, with the statistics of a component consecutive.
std::vector<StatisticGradient> final_gradients(const EnsembleStatistics& statistics);

}  // namespace kalaba
