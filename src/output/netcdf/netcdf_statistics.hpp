#pragma once

#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/netcdf/archive.hpp"
#include "output/netcdf/netcdf_definitions.hpp"

namespace kalaba {

/// Variables of a file's statistics; none without statistics.
struct NetcdfStatistics {
  struct Variable {
    int id;
    std::size_t field;  ///< index into EnsembleStatistics::fields
    std::vector<double> FieldStatistics::*values;
    std::vector<std::size_t> shape;
  };
  std::vector<Variable> variables;
  int ok_members = -1;  ///< (time)
  int quantile = -1;    ///< (quantile), the probabilities; -1 without quantiles
};

/// Defines those of these variables that the options select, over dimensions of time and components, which must exist:
///
///     FIELD_mean, _std, _min, _max, _count          (time, component)            ok_members (time)
///     FIELD_quantile                                (quantile, time, component)  quantile (quantile)
///     FIELD_correlation                             (variable, time, component)  variable (variable), its unit
///     FIELD_mean_gradient, _variance_gradient, _std_gradient  (sensitivity, time, component)
///     FIELD_gradient_count                          (time, component)
///     FIELD_quantile_gradient                       (quantile, sensitivity, time, component)
///     FIELD_group_mean, _std, _min, _max, _count    (group, time, component)     group (group)
///     FIELD_histogram                               (time, component, bin)
///     FIELD_below, FIELD_above                      (time, component)            FIELD_bin_edge (component, bin_edge)
NetcdfStatistics define_statistics(NetcdfDefinitions& definitions, const RunInfo& run);

void write_statistics(DatasetWriter& file, const NetcdfStatistics& variables, const EnsembleStatistics& statistics);

/// Reads the statistics in a file; without fields if it has none.
EnsembleStatistics statistics_of(const Archive& archive);

}  // namespace kalaba
