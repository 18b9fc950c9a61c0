#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"
#include "output/base/sink.hpp"
#include "output/netcdf/dataset_writer.hpp"
#include "output/netcdf/netcdf_statistics.hpp"

namespace kalaba {

/// Variables of a file, into which a sink writes its numbers. Without trajectories, only events (with parameters and
/// starts) are variables over members.
struct NetcdfVariables {
  std::vector<FieldLayout> layouts;  ///< of the saved fields
  std::vector<int> fields;           ///< one per layout: (time, component, member), or (time, member) for a scalar
  std::vector<int> parameters;       ///< (member) each
  /// Start that varies between members.
  struct Start {
    int id;
    bool is_rate;
    std::size_t index;  ///< of the coordinate or rate
    bool is_projected;  ///< after projection on the constraints, else as drawn
  };
  std::vector<Start> starts;  ///< (member) each
  int repetition = -1;        ///< (member), of a grid with several members per point
  long grid_points = 1;
  int status = -1;        ///< (member)
  int failure_time = -1;  ///< (member)
  struct Counter {
    int id;
    std::vector<double> Block::*values;
  };
  std::vector<Counter> counters;  ///< (member) each
  /// Variables of events: the count (event, member), then first and last time, then (event, coordinate or rate, member)
  /// at the first. Empty without events. With sensitivities also derivatives of the first time and of coordinates and
  /// rates: (event, sensitivity, ...).
  std::vector<int> events;
  NetcdfStatistics statistics;

  /// Returns all variables over members, and those of them that contain counts.
  std::vector<int> over_members() const;
  std::vector<int> counts() const;
};

/// Writes all data that is known before the run: dimensions, labels, variables and attributes.
NetcdfVariables write_schema(DatasetWriter& file, const RunInfo& run, const Provenance& provenance);

}  // namespace kalaba
