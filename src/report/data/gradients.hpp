#pragma once

#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/base/reader.hpp"

namespace kalaba {

/// Derivatives of a statistic of a component along each sensitivity, at the last saved time.
struct StatisticGradient {
  Column column;
  std::string statistic;  ///< "mean", "variance", "std" or "q0.05"
  std::vector<double> along;
};

/// Gradients of every component that has them, with the statistics of a component consecutive.
std::vector<StatisticGradient> final_gradients(const EnsembleStatistics& statistics);

}  // namespace kalaba
