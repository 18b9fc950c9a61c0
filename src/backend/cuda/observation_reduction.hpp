#pragma once

#include <array>
#include <vector>

#include "backend/cuda/memory.hpp"
#include "backend/device_runner.hpp"
#include "kernels/statistics.hpp"

namespace kalaba::cuda {

/// Observation of a share's members, in the memory of the current device.
struct Observed {
  const double* numbers;  ///< rows of length `stride`: the status, then the fields
  FieldSet fields;
  long stride;
  long first;    ///< index of the first member in the ensemble
  long members;  ///< number of members of the share
};

/// Reduces observations of one device to statistics on that device.
class ObservationReduction {
 public:
  using Components = std::array<int, field_count>;  ///< numbers per member of each field

  /// Prepares the reduction of the requested fields.
  ObservationReduction(FieldSet requested, const StatisticsPlan& plan, const Components& components);

  /// Makes room for shares of `members`; throws OutOfMemory.
  void reserve(long members);
  /// Device memory that it takes per member, Thrust's memory included.
  double bytes_a_member() const;
  /// Adds the members, which follow the ones already in `out`. Returns after the members have been read.
  void reduce(const Observed& observed, const Stream& stream, ReducedObservation& out);

 private:
  /// Contiguous rows of an observation.
  struct Rows {
    int begin;
    int count;
  };
  int requested_rows() const;
  Rows rows_of(FieldSet observed, Field field) const;
  std::vector<Rows> asked_rows(FieldSet observed) const;

  FieldSet requested_;
  SampleSize size_;
  Components components_;
  DeviceBuffer workspace_;
};

}  // namespace kalaba::cuda
