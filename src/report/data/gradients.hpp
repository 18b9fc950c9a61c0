#pragma once

#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/base/reader.hpp"

namespace kalaba {

/// How a statistic of a component moves along each sensitivity, at the last saved time.
struct StatisticGradient {
  Column column;
  std::string statistic;  ///< "mean", "variance", "std" or "q0.05"
  std::vector<double> along;
};

/// Of every component that has gradients, its statistics one behind the other.
std::vector<StatisticGradient> final_gradients(const EnsembleStatistics& statistics);

}  // namespace kalaba
