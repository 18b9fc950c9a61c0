#pragma once

#include "backend/cuda/device_shares.hpp"
#include "backend/cuda/member_kernels.hpp"
#include "backend/cuda/observation_reduction.hpp"
#include "backend/kept_columns.hpp"
#include "kalaba/block.hpp"

namespace kalaba::cuda {

/// One device's share of a block: its members begin … begin + members - 1, kept on the device between calls. Every call
/// except `collect` and `download` only enqueues work; copies of observations overlap the following steps.
class BatchOnDevice : public DeviceShare {
 public:
  BatchOnDevice(const SystemInfo& system, const Options& options, std::shared_ptr<const Device> device,
                std::unique_ptr<MemberKernels> kernels);
  ~BatchOnDevice();

  int threads_per_member() const { return kernels_->workers(); }

  /// Numbers per member of a field.
  int components(Field field) const { return components_[static_cast<std::size_t>(field)]; }

  /// Reason why observations cannot be reduced on this device; empty if they can.
  std::string reduction_problem() const;
  /// Call before reserve: observations stay on the device, and `reduce` replaces `collect`.
  void begin_reducing(FieldSet fields, const StatisticsPlan& plan);
  /// Returns the number of members that fit into this fraction of the free memory.
  long fitting_members(double fraction) const;
  /// Makes room for `members`; throws OutOfMemory.
  void reserve(long members);
  void upload(const Block& block, long begin, long members);
  void start(double time, bool project);
  void advance(const TimeGrid& time, long first_step, long steps);
  void observe(double time, FieldSet fields);
  /// Observes at time t, between the grid's step that the members have reached and the next.
  void observe_between(const TimeGrid& time, long step, double t, FieldSet fields);
  /// Waits for the observation and copies it to its place in `out`, whose rows have the block's stride.
  void collect(const Block& block, Observation& out);
  /// Waits for the observation and adds its members, the next ones of the ensemble, to `out`.
  void reduce(const Block& block, ReducedObservation& out);
  /// As Runner::combine_columns for the share's members. Computed on the host, because the work is small.
  void combine_columns(const Block& block, const std::vector<double>& factors);
  /// Waits for all work and copies state, discrete variables and status to the block; if observations are reduced, all
  /// except state and discrete variables.
  void download(Block& block);

 private:
  Batch batch() const;
  void launch(const Kernel& kernel, void** arguments);
  void copy_up(const std::vector<double>& from, long stride, int first_row, int rows);
  void copy_down(double* to, long stride, int first_row, int rows);
  int observed_rows(FieldSet fields) const;
  double* begin_observation(FieldSet fields);
  void land_observation();
  void reserve_observation(FieldSet fields);

  Method method_;
  FieldSet usual_fields_;
  std::unique_ptr<MemberKernels> kernels_;
  KeptColumns columns_;
  BatchLayout layout_;
  int discrete_;  ///< discrete variables that changes may set
  std::array<int, field_count> components_ = {};
  long capacity_ = 0;
  long begin_ = 0;
  long members_ = 0;
  FieldSet fields_;               // of the pending observation
  std::vector<double> statuses_;  // of the whole block, as numbers
  Stream copy_;
  Event computed_;
  Event copied_;
  std::unique_ptr<Advancer> advancer_;  // null if a kernel advances; destroyed before the stream that it uses
  DeviceBuffer rows_;
  DeviceBuffer observed_;
  PinnedBuffer landing_;
  std::unique_ptr<ObservationReduction> reduction_;  // null if observations are copied to the host
};

}  // namespace kalaba::cuda
