#pragma once

#include <memory>
#include <string>

#include "kalaba/statistics.hpp"
#include "output/base/sink.hpp"

namespace kalaba {

/// Table of statistics, one row per saved time: `time,ok_members`, then COMPONENT_count, COMPONENT_mean, ...,
/// COMPONENT_q0.05, ..., COMPONENT_correlation[parameters.L], ..., COMPONENT_mean[parameters.m=2], ...,
/// COMPONENT_gradient_count, COMPONENT_mean_gradient[parameters.L], ..., COMPONENT_q0.05_gradient[parameters.L], ...,
/// COMPONENT_below, COMPONENT_bin_EDGE (by the lower edge of each bin), COMPONENT_above_EDGE for every component of the
/// selected fields; only the selected statistics.
std::string statistics_table(const EnsembleStatistics& statistics);

/// Sink that writes this table for a run.
std::unique_ptr<FileSink> make_statistics_csv(const std::string& path);

/// Reads the moments, quantiles, correlations and gradients of a table of statistics; other columns (histograms,
/// statistics of groups) are not read. Throws Error(file_error) naming file, line and column for any other table.
EnsembleStatistics read_statistics_table(const std::string& path);

/// Returns true if the header of a file is that of a table of statistics.
bool is_statistics_table(const std::string& path);

}  // namespace kalaba
