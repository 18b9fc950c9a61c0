#pragma once

#include <span>

#include "kalaba/run.hpp"
#include "output/base/outcome_figures.hpp"
#include "output/netcdf/dataset_writer.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// Writes the outcome of a run as global attributes.
void write_outcome(DatasetWriter& file, const Summary& summary,
                   std::span<const OutcomeFigure> figures = outcome_figures);

/// Outcome of the run of a finished output, as far as the file's attributes contain it.
Summary read_summary(const NetcdfFile& file, std::span<const OutcomeFigure> figures = outcome_figures);

}  // namespace kalaba
