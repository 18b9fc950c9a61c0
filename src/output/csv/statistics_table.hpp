#pragma once

#include <string>

#include "kalaba/statistics.hpp"

namespace kalaba {

/// Reads the moments, quantiles, correlations and gradients of a table of statistics; other columns (histograms,
/// statistics of groups) are not read. Throws Error(file_error) naming file, line and column for any other table.
EnsembleStatistics read_statistics_table(const std::string& path);

/// Returns true if the header of a file is that of a table of statistics.
bool is_statistics_table(const std::string& path);

}  // namespace kalaba
