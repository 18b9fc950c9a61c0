#include "backend/cuda/cuda_runner.hpp"

namespace kalaba::cuda {

CudaRunner::CudaRunner(const SystemInfo& system, const Options& options, const MakeKernels& kernels_for)
    : shares_(system.name) {
  for (const int ordinal : device_ordinals(options.devices)) {
    const auto device = held_device(ordinal);
    device->make_current();
    shares_.add(std::make_unique<BatchOnDevice>(system, options, device, kernels_for(device)));
  }
  shares_.set_grain(Block::alignment);
}

std::string CudaRunner::text() const {
  const int threads = shares_.first().threads_per_member();
  return shares_.text() + ", " + std::to_string(threads) + (threads == 1 ? " thread a member" : " threads a member");
}

void CudaRunner::start(Block& block, double time, bool project) {
  shares_.deal(block, [&](BatchOnDevice& batch, long begin, long members) {
    batch.upload(block, begin, members);
    batch.start(time, project);
  });
}

bool CudaRunner::advance(Block& block, const TimeGrid& time, long first_step, long steps) {
  shares_.visit(block, [&](BatchOnDevice& batch) { batch.advance(time, first_step, steps); });
  return true;
}

/// Allocates an observation.
void CudaRunner::prepare(const Block& block, FieldSet fields, Observation& out) {
  seen_ = &block;
  if (shares_.grain() == leaf_members) return;  // the observation stays on the devices
  out.status.resize(block.status.size());
  for (const Field field : all_fields) {
    const auto index = static_cast<std::size_t>(field);
    const int rows = fields.has(field) ? shares_.first().components(field) : 0;
    out.values[index].resize(static_cast<std::size_t>(rows * block.stride));
  }
}

void CudaRunner::observe(const Block& block, double time, FieldSet fields, Observation& out) {
  prepare(block, fields, out);
  shares_.visit(block, [&](BatchOnDevice& batch) { batch.observe(time, fields); });
}

void CudaRunner::observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                                 Observation& out) {
  prepare(block, fields, out);
  shares_.visit(block, [&](BatchOnDevice& batch) { batch.observe_between(time, step, t, fields); });
}

void CudaRunner::combine_columns(Block& block, const std::vector<double>& factors) {
  shares_.visit(block, [&](BatchOnDevice& batch) { batch.combine_columns(block, factors); });
}

void CudaRunner::wait(Observation& out) {
  if (seen_ == nullptr) return;
  shares_.visit(*seen_, [&](BatchOnDevice& batch) { batch.collect(*seen_, out); });
  seen_ = nullptr;
}

void CudaRunner::synchronize(Block& block) {
  shares_.visit(block, [&](BatchOnDevice& batch) { batch.download(block); });
}

bool CudaRunner::begin_reducing(FieldSet fields, const StatisticsPlan& plan) {
  for (const auto& share : shares_) {
    if (!share->reduction_problem().empty()) return false;
  }
  for (const auto& share : shares_) share->begin_reducing(fields, plan);
  shares_.set_grain(leaf_members);
  return true;
}

ReducedObservation CudaRunner::reduce() {
  ReducedObservation all;
  all.frame.first = seen_->first;
  all.frame.members = seen_->members;
  shares_.visit(*seen_, [&](BatchOnDevice& batch) { batch.reduce(*seen_, all); });
  seen_ = nullptr;
  return all;
}

}  // namespace kalaba::cuda
