#pragma once

#include "kernels/deferred_svd.hpp"
#include "kernels/launch.cuh"
#include "kernels/member_work.hpp"

namespace kalaba {

/// The body of the kernel that takes one step with a DeferredSvd; `Work` is a MemberWork of it. For exchange.stage 0,
/// 1, 2, 3 in turn it leaves the matrices of that stage in the exchange; with `stages`, it finishes the step.
template <class Work, int Workers, class X>
__device__ __forceinline__ void advance_by_stages(const Batch& batch, const Method& method, const TimeGrid& time,
                                                  long step, const SvdExchange<X>& exchange) {
  constexpr int stages = 4;
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long index) {
    work.loop.rate.inverse.begin(team, exchange, index);
    if (exchange.stage == stages) {
      work.advance(team, batch, index, method, time, step, 1);
    } else {
      work.advance(team, batch, index, method, time, step, 0);  // reads the member; writes back what was there
      work.loop.advance(team, work.member, method, time, step, 1);
    }
  });
}

}  // namespace kalaba
