#pragma once

#include "kernels/deferred_svd.hpp"
#include "kernels/launch.cuh"
#include "kernels/member_work.hpp"

namespace kalaba {

/// The body of the kernel that takes one step with a DeferredSvd, but for a projection at its end; `Work` is a
/// MemberWork of it. For exchange.stage 0, 1, 2, 3 in turn it leaves the matrices of that stage in the exchange; with
/// `stages`, it finishes the step. Then, unless `before` is null, the state before the step goes there: coordinates and
/// rates, rows with the batch's stride.
template <class Work, int Workers, class X>
__device__ __forceinline__ void advance_by_stages(const Batch& batch, Method method, const TimeGrid& time, long step,
                                                  const SvdExchange<X>& exchange, double* before) {
  constexpr int stages = 4;
  if (method.stabilization.kind == Stabilization::Kind::projection) method.stabilization = Stabilization::none();
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long index) {
    work.loop.rate.inverse.begin(team, exchange, index);
    if (exchange.stage == stages) {
      if (before != nullptr) work.copy_state(team, batch, index, before);
      work.advance(team, batch, index, method, time, step, 1);
    } else {
      work.advance(team, batch, index, method, time, step, 0);  // reads the member; writes back what was there
      work.loop.advance(team, work.member, method, time, step, 1);
    }
  });
}

/// The body of the kernel that projects after such a step; `Work` is a MemberWork of another pseudo-inverse.
template <class Work, int Workers>
__device__ __forceinline__ void project_members(const Batch& batch, const Method& method, const TimeGrid& time,
                                                long step, const double* before) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long index) {
    work.project(team, batch, index, method, time, step, before);
  });
}

}  // namespace kalaba
