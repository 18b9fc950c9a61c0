#pragma once

#include <cstddef>

#include "backend/cuda/memory.hpp"
#include "kalaba/core/model/model.hpp"
#include "kernels/batch.hpp"

namespace kalaba::cuda {

/// Takes the members of a batch through time steps on one device, which is current in every call.
class Advancer {
 public:
  virtual ~Advancer() = default;
  /// Device memory that it needs in addition to the batch.
  virtual std::size_t bytes_a_member() const { return 0; }
  /// Makes room for `members`; throws OutOfMemory.
  virtual void reserve(long /*members*/) {}
  /// Enqueues the steps.
  virtual void advance(const Batch& batch, const TimeGrid& time, long first_step, long steps, const Stream& stream) = 0;
};

}  // namespace kalaba::cuda
