#pragma once

#include <string>

#include "kalaba/options.hpp"
#include "scenario/document.hpp"

namespace kalaba {

/// Reads output.statistics, output.quantiles and output.trajectories into options whose fields are known.
void read_statistics(Document& document, Options& options);

/// output.statistics as TOML.
std::string toml_statistics(const StatisticsOptions& statistics);

}  // namespace kalaba
