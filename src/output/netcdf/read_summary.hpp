#pragma once

#include <span>

#include "kalaba/run.hpp"
#include "output/base/outcome_figures.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// Outcome of the run of a finished output, as far as the file's attributes contain it.
Summary read_summary(const NetcdfFile& file, std::span<const OutcomeFigure> figures = outcome_figures);

}  // namespace kalaba
