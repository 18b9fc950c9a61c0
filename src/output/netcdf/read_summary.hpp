#pragma once

#include "kalaba/run.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// Outcome of the run of a finished output, as far as the file's attributes contain it.
Summary read_summary(const NetcdfFile& file);

}  // namespace kalaba
