#pragma once

#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/netcdf_definitions.hpp"

namespace kalaba {

/// The variables of a file's statistics; none where none were asked for.
struct NetcdfStatistics {
  struct Variable {
    int id;
    std::size_t field;  ///< into EnsembleStatistics::fields
    std::vector<double> FieldStatistics::*values;
    std::vector<std::size_t> shape;
  };
  std::vector<Variable> variables;
  int ok_members = -1;  ///< (time)
  int quantile = -1;    ///< (quantile), the shares; -1 without quantiles
};

/// Defines FIELD_mean, FIELD_std, FIELD_min, FIELD_max and FIELD_count over (time, component), FIELD_quantile over
/// (quantile, time, component), ok_members(time) and quantile(quantile), as far as asked for. The dimensions of time
/// and of the components must be there.
NetcdfStatistics define_statistics(NetcdfDefinitions& definitions, const RunInfo& run);

void write_statistics(NetcdfFile& file, const NetcdfStatistics& variables, const EnsembleStatistics& statistics);

}  // namespace kalaba
