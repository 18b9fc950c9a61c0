#pragma once

#include "kalaba/run.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// What the run of a finished output came to, as far as its attributes tell.
Summary read_summary(const NetcdfFile& file);

}  // namespace kalaba
