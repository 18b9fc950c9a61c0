#pragma once

#include "kalaba/statistics.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {

/// Reads the statistics in a file; without fields if it has none.
EnsembleStatistics statistics_of(const Archive& archive);

}  // namespace kalaba
