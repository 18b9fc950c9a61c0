#pragma once

#include <functional>
#include <memory>

#include <cstddef>
#include "backend/cuda/device.hpp"
#include "backend/cuda/memory.hpp"
#include "kalaba/core/model/model.hpp"
#include "kalaba/options.hpp"
#include "kalaba/system.hpp"
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

/// A kernel on one device, with its launch configuration.
struct Kernel {
  CUfunction function = nullptr;
  Grid grid = {1, 1};
  unsigned shared_bytes = 0;  ///< per block
};

/// Kernels that move a batch, on one device.
class MemberKernels {
 public:
  virtual ~MemberKernels() = default;
  virtual int workers() const = 0;  ///< threads per member
  virtual const Kernel& start() = 0;
  virtual const Kernel& advance() = 0;
  virtual const Kernel& observe(FieldSet fields) = 0;
  virtual const Kernel& observe_between(FieldSet fields) = 0;
  /// Returns the object that takes a batch through steps instead of the kernel `advance`; null if `advance` does.
  virtual std::unique_ptr<Advancer> advancer() { return nullptr; }
};

/// Returns kernels compiled at run time for exactly this model and these options. The number of threads per member
/// depends on the compiler's resource usage for one thread, unless the options set it. Throws Error: internal_error
/// with the compiler's log, no_backend if NVRTC is missing, bad_input if the requested threads do not fit.
std::unique_ptr<MemberKernels> kernels_at_run_time(const System& system, const Options& options,
                                                   const std::shared_ptr<const Device>& device);

/// Resources that the compiler assigned to a kernel.
struct Resources {
  int registers = 0;      ///< per thread
  int local_bytes = 0;    ///< per thread: arrays that do not fit registers, and spills
  int static_shared = 0;  ///< bytes per block
};
Resources resources(CUfunction function);

/// Returns the launch of a kernel with `workers` threads per member, each member with `workspace` bytes of shared
/// memory (none for one worker). Throws Error(bad_input) if one member's workspace exceeds the limit of a block.
Kernel shaped(CUfunction function, int workers, std::size_t workspace, const Device& device);

}  // namespace kalaba::cuda
