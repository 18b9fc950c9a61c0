#pragma once

#include <memory>
#include <string>

#include "backend/cuda/batched_svd.hpp"
#include "backend/cuda/graph.hpp"
#include "backend/cuda/member_kernels.hpp"
#include "kernels/deferred_svd.hpp"

namespace kalaba::cuda {

/// Program of a pipeline. Its kernels are kalaba_stage(Batch, TimeGrid, const long* step, SvdExchange<real>, double*
/// before), kalaba_set(long* step, long to) and kalaba_tick(long* step). Its globals are kalaba_workspace (shared
/// memory per member in bytes), kalaba_length and kalaba_extent (the longer and the shorter side of the matrices). If
/// steps end with a projection, it also has kalaba_project(Batch, TimeGrid, const long* step, const double* before) and
/// kalaba_projection_workspace.
struct PipelineProgram {
  std::string name;  ///< in the compiler's messages
  std::string text;
  int workers;  ///< threads per member
  Precision precision;
  int projected_rows;  ///< coordinates and rates if steps end with a projection; else 0
};

/// Time steps whose pseudo-inverses cuSOLVER computes: a step is a kernel before, between and after four batches of
/// singular value decompositions, recorded once and replayed. It is a baseline for Kalaba's own kernels, and a check of
/// them. There are no warm starts. A projection at the end of a step uses Kalaba's own pseudo-inverse, because the
/// number of iterations differs between members.
class Pipeline final : public Advancer {
 public:
  /// Throws Error as compiling a program does, and no_backend if there is no cuSOLVER.
  Pipeline(const PipelineProgram& program, const Device& device);

  std::size_t bytes_a_member() const override;
  void reserve(long members) override;
  void advance(const Batch& batch, const TimeGrid& time, long first_step, long steps, const Stream& stream) override;

  /// Returns true if steps are replayed, that is, if cuSOLVER's calls could be recorded.
  bool replays() const { return static_cast<bool>(step_); }

 private:
  static constexpr int stages = 4;

  void enqueue_step(const Batch& batch, const TimeGrid& time, const Stream& stream);
  void enqueue_stage(int stage, const Batch& batch, const TimeGrid& time, const Stream& stream);
  void enqueue_svd(int stage, long members, const Stream& stream);
  /// After a failed recording, cuSOLVER may report the error once more at its next call: makes such a call.
  void forget_recording(const Batch& batch, const Stream& stream);
  void enqueue_projection(const Batch& batch, const TimeGrid& time, const Stream& stream);
  /// Size of one member's part in each of the arrays of SvdArrays, in numbers.
  int u_size() const { return length_ * svd_->u_columns(); }
  int v_size() const { return extent_ * extent_; }

  int number_bytes_;
  Module module_;
  Kernel stage_;
  int projected_rows_;
  Kernel project_;  // if there are projected rows
  CUfunction set_;
  CUfunction tick_;
  int length_;
  int extent_;
  std::unique_ptr<BatchedSvd> svd_;

  long capacity_ = 0;
  DeviceBuffer a_;  // of one stage; the other arrays are of all stages
  DeviceBuffer values_;
  DeviceBuffer u_;
  DeviceBuffer v_;
  DeviceBuffer info_;
  DeviceBuffer before_;  // states that a projection may have to restore
  DeviceBuffer clock_;   // the next step

  bool recordable_ = true;
  Batch recorded_batch_ = {};
  TimeGrid recorded_time_;
  Graph step_;
};

}  // namespace kalaba::cuda
