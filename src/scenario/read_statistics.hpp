#pragma once

#include <string>

#include "kalaba/options.hpp"
#include "scenario/document/document.hpp"
#include "scenario/read_members.hpp"

namespace kalaba {

/// Reads output.statistics, quantiles, histogram, group_by and trajectories into options whose fields are already set.
void read_statistics(Document& document, const SystemInfo& system, Options& options);

/// Sets the options that depend on the distributions of the variables: the inputs of correlations, and the values for
/// grouping.
void read_statistics_inputs(Document& document, const SystemInfo& system, const Members& members,
                            StatisticsOptions& statistics);

/// output.statistics and output.histogram as TOML.
std::string toml_statistics(const StatisticsOptions& statistics);
std::string toml_histogram(const StatisticsOptions& statistics);

}  // namespace kalaba
