#include "backend/cuda/cuda_runner.hpp"

#include <algorithm>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/on_share.hpp"

namespace kalaba::cuda {
namespace {

constexpr double usable = 0.9;  // of the free memory; the rest is for the driver and for whoever else is there

long whole(long grain, long members) { return (members + grain - 1) / grain * grain; }

}  // namespace

CudaRunner::CudaRunner(const SystemInfo& system, const Options& options, const MakeKernels& kernels_for)
    : name_(system.name) {
  for (const int ordinal : device_ordinals(options.devices)) {
    const auto device = std::make_shared<const Device>(ordinal);
    device->make_current();
    shares_.push_back(std::make_unique<BatchOnDevice>(system, options, device, kernels_for(device)));
  }
}

std::string CudaRunner::text() const {
  std::string text = "cuda:";
  for (const auto& share : shares_) text += (text.back() == ':' ? " " : " + ") + share->device().info().name;
  const int threads = shares_.front()->threads_per_member();
  return text + ", " + std::to_string(threads) + (threads == 1 ? " thread a member" : " threads a member");
}

long CudaRunner::share_of(long members) const {
  const auto devices = static_cast<long>(shares_.size());
  return whole(grain_, (std::max(members, 1L) + devices - 1) / devices);
}

long CudaRunner::reserve(long members) {
  long share = share_of(members);
  for (const auto& each : shares_) share = std::min(share, each->fitting_members(usable) / grain_ * grain_);
  for (share = std::max(share, grain_);; share = whole(grain_, share / 2)) {
    try {
      for (const auto& each : shares_) each->reserve(share);
      return std::min(members, share * static_cast<long>(shares_.size()));
    } catch (const OutOfMemory&) {
      if (share <= grain_) throw;
    }
  }
}

template <class Work>
void CudaRunner::on_shares(const Block& block, const Work& work) {
  for (std::size_t i = 0; i < used_; ++i) {
    on_share(name_, block, shares_[i]->device(), [&] { work(*shares_[i]); });
  }
}

void CudaRunner::start(Block& block, double time, bool project) {
  const long share = share_of(block.members);
  used_ = static_cast<std::size_t>((block.members + share - 1) / share);
  long begin = 0;
  on_shares(block, [&](BatchOnDevice& batch) {
    batch.upload(block, begin, std::min(share, block.members - begin));
    batch.start(time, project);
    begin += share;
  });
}

void CudaRunner::advance(Block& block, const TimeGrid& time, long first_step, long steps) {
  on_shares(block, [&](BatchOnDevice& batch) { batch.advance(time, first_step, steps); });
}

/// Makes room for an observation.
void CudaRunner::prepare(const Block& block, FieldSet fields, Observation& out) {
  seen_ = &block;
  if (grain_ == leaf_members) return;  // it stays on the devices
  out.status.resize(block.status.size());
  for (const Field field : all_fields) {
    const auto index = static_cast<std::size_t>(field);
    const int rows = fields.has(field) ? shares_.front()->components(field) : 0;
    out.values[index].resize(static_cast<std::size_t>(rows * block.stride));
  }
}

void CudaRunner::observe(const Block& block, double time, FieldSet fields, Observation& out) {
  prepare(block, fields, out);
  on_shares(block, [&](BatchOnDevice& batch) { batch.observe(time, fields); });
}

void CudaRunner::observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                                 Observation& out) {
  prepare(block, fields, out);
  on_shares(block, [&](BatchOnDevice& batch) { batch.observe_between(time, step, t, fields); });
}

void CudaRunner::wait(Observation& out) {
  if (seen_ == nullptr) return;
  on_shares(*seen_, [&](BatchOnDevice& batch) { batch.collect(*seen_, out); });
  seen_ = nullptr;
}

void CudaRunner::synchronize(Block& block) {
  on_shares(block, [&](BatchOnDevice& batch) { batch.download(block); });
}

bool CudaRunner::begin_reducing(FieldSet fields, const StatisticsPlan& plan) {
  for (const auto& share : shares_) {
    if (!share->reduction_problem().empty()) return false;
  }
  for (const auto& share : shares_) share->begin_reducing(fields, plan);
  grain_ = leaf_members;
  return true;
}

ReducedObservation CudaRunner::reduce() {
  ReducedObservation all;
  all.frame.first = seen_->first;
  all.frame.members = seen_->members;
  on_shares(*seen_, [&](BatchOnDevice& batch) { batch.reduce(*seen_, all); });
  seen_ = nullptr;
  return all;
}

}  // namespace kalaba::cuda
