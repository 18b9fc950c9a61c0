#pragma once

#include <string>

#include "kalaba/options.hpp"
#include "scenario/document/document.hpp"
#include "scenario/read_members.hpp"

namespace kalaba {

/// Reads output.statistics, quantiles, histogram, group_by and trajectories into options whose fields are known.
void read_statistics(Document& document, const SystemInfo& system, Options& options);

/// Completes what depends on how the variables are spread over the members: what there is to correlate with, and the
/// values to group by.
void read_statistics_inputs(Document& document, const SystemInfo& system, const Members& members,
                            StatisticsOptions& statistics);

/// output.statistics and output.histogram as TOML.
std::string toml_statistics(const StatisticsOptions& statistics);
std::string toml_histogram(const StatisticsOptions& statistics);

}  // namespace kalaba
