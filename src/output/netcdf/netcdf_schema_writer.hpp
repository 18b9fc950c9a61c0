#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"
#include "output/base/sink.hpp"
#include "output/netcdf/dataset_writer.hpp"
#include "output/netcdf/netcdf_statistics.hpp"

namespace kalaba {

/// The variables of a file: what a sink writes its numbers into. Without trajectories only those of events, and with
/// them parameters and starts, are over members.
struct NetcdfVariables {
  std::vector<FieldLayout> layouts;  ///< of the saved fields
  std::vector<int> fields;           ///< one a layout: (time, component, member), or (time, member) for a scalar
  std::vector<int> parameters;       ///< (member) each
  /// An initial value that varies between members.
  struct Start {
    int id;
    bool is_rate;
    std::size_t index;  ///< of the coordinate or rate
    bool is_projected;  ///< put on the constraints, else as it was drawn
  };
  std::vector<Start> starts;  ///< (member) each
  int repetition = -1;        ///< (member), of a grid that has several members a point
  long grid_points = 1;
  int status = -1;             ///< (member)
  int failure_time = -1;       ///< (member)
  int rank_changes = -1;       ///< (member)
  int singular_passages = -1;  ///< (member)
  int accepted = -1;           ///< (member), of an adaptive integrator
  int rejected = -1;           ///< (member), likewise
  /// (event, member) the count first, then first and last time; (event, coordinate or rate, member) at the first. None
  /// without events. With sensitivities, derivatives of the first time and of both: (event, sensitivity, ...).
  std::vector<int> events;
  NetcdfStatistics statistics;

  /// Every variable over members, and those of them that hold counts.
  std::vector<int> over_members() const;
  std::vector<int> counts() const;
};

/// Writes everything that is known before the run: dimensions, labels, variables and attributes.
NetcdfVariables write_schema(DatasetWriter& file, const RunInfo& run, const Provenance& provenance);

/// Writes what a run came to, as global attributes.
void write_outcome(DatasetWriter& file, const Summary& summary);

}  // namespace kalaba
