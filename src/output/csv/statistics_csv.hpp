#pragma once

#include <memory>
#include <string>

#include "kalaba/statistics.hpp"
#include "output/base/sink.hpp"

namespace kalaba {

/// A table of statistics: `time,ok_members`, then COMPONENT_count, COMPONENT_mean, ..., COMPONENT_q0.05, ...,
/// COMPONENT_correlation[parameters.L], ..., COMPONENT_mean[parameters.m=2], ..., COMPONENT_gradient_count,
/// COMPONENT_mean_gradient[parameters.L], ..., COMPONENT_q0.05_gradient[parameters.L], ..., COMPONENT_below,
/// COMPONENT_bin_EDGE (by the lower edge of each bin), COMPONENT_above_EDGE for every component of the asked fields, as
/// far as asked for; a row a saved time.
std::string statistics_table(const EnsembleStatistics& statistics);

/// A sink that writes that of a run.
std::unique_ptr<FileSink> make_statistics_csv(const std::string& path);

}  // namespace kalaba
