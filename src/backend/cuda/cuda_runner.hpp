#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/cuda/batch_on_device.hpp"
#include "backend/device_runner.hpp"

namespace kalaba::cuda {

/// CUDA backend: every block is divided into shares of the devices, which stay there between calls. A member's result
/// does not depend on its share.
class CudaRunner final : public DeviceRunner {
 public:
  using MakeKernels = std::function<std::unique_ptr<MemberKernels>(const std::shared_ptr<const Device>&)>;

  /// Uses the devices in the options, or every device if the list is empty.
  CudaRunner(const SystemInfo& system, const Options& options, const MakeKernels& kernels_for);

  /// "cuda: NVIDIA H200, 1 thread a member"
  std::string text() const;

  long reserve(long members) override { return shares_.reserve(members); }
  void start(Block& block, double time, bool project) override;
  bool advance(Block& block, const TimeGrid& time, long first_step, long steps) override;
  void observe(const Block& block, double time, FieldSet fields, Observation& out) override;
  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override;
  void combine_columns(Block& block, const std::vector<double>& factors) override;
  void wait(Observation& out) override;
  void synchronize(Block& block) override;

  double timed_advance(Block& block, const TimeGrid& time, long first_step, long steps) override {
    return shares_.timed_advance(block, time, first_step, steps);
  }
  void finish(Block& block) override {
    shares_.visit(block, [](BatchOnDevice& share) { share.finish(); });
  }

  bool begin_reducing(FieldSet fields, const StatisticsPlan& plan) override;
  ReducedObservation reduce() override;

 private:
  void prepare(const Block& block, FieldSet fields, Observation& out);

  DeviceShares<BatchOnDevice> shares_;
  const Block* seen_ = nullptr;  // block of the pending observation
};

}  // namespace kalaba::cuda
