#pragma once

#include "kalaba/statistics.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {

/// The statistics that a file holds; without fields where it holds none.
EnsembleStatistics statistics_of(const Archive& archive);

}  // namespace kalaba
