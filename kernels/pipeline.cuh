#pragma once

#include "kernels/batch_place.hpp"
#include "kernels/deferred_svd.hpp"
#include "kernels/launch.cuh"

namespace kalaba {

/// Writes coordinates and rates as rows of `to` with the batch's stride.
template <class Work, class Team>
KALABA_FN void copy_state(const Team& team, const BatchPlace<Work>& place, double* to) {
  team.template for_each<Work::nq + Work::n>(
      [&](int i) { to[i * place.batch.stride + place.index] = place.batch.at(place.layout.q() + i, place.index); });
}

/// Projects after step `step`, which was made without projection. A member that cannot be projected fails with the
/// state `before` the step, as written by copy_state.
template <class Work, class Team>
KALABA_FN void project_after(const Team& team, Work& work, const BatchPlace<Work>& place, const Method& method,
                             const TimeGrid& time, long step, const double* before) {
  using X = typename Work::Number;
  auto& member = work.member;
  work.load(team, place);
  const auto p = prepared<typename Work::Model>(member.p);
  const bool alive = member.status == X(0);
  const bool converged = work.loop.projection.apply(team, work.loop.rate, method, p, X(time.at(step + 1)), member.q,
                                                    member.w, alive, decltype(work.loop)::step_iterations, false);
  if (alive && !converged) {
    const auto number = [&](int row) { return static_cast<X>(before[row * place.batch.stride + place.index]); };
    team.template for_each<Work::nq>([&](int i) { member.q[i] = number(i); });
    team.template for_each<Work::n>([&](int i) { member.w[i] = number(Work::nq + i); });
    team.single([&] { member.status = X(static_cast<int>(Status::not_converged)); });
  }
  work.store(team, place, [&](int) { return time.at(step); });
}

/// Body of the kernel that makes one step with a DeferredSvd, except the projection at its end; `Work` is a MemberWork
/// with it. For exchange.stage 0, 1, 2, 3 in turn it writes the matrices of that stage to the exchange; with `stages`,
/// it completes the step. Then, unless `before` is null, the state before the step is stored there: coordinates and
/// rates, rows with the batch's stride.
template <class Work, int Workers, class X>
__device__ __forceinline__ void advance_by_stages(const Batch& batch, Method method, const TimeGrid& time, long step,
                                                  const SvdExchange<X>& exchange, double* before) {
  constexpr int stages = 4;
  if (method.stabilization.kind == Stabilization::Kind::projection) method.stabilization = Stabilization::none();
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long index) {
    const BatchPlace<Work> place = {batch, index};
    work.loop.rate.inverse.begin(team, exchange, index);
    if (exchange.stage == stages) {
      if (before != nullptr) copy_state(team, place, before);
      work.advance(team, place, method, Unwatched{}, time, step, 1);
    } else {
      work.advance(team, place, method, Unwatched{}, time, step, 0);  // reads the member; writes it back unchanged
      work.loop.advance_generally(team, work.member, method, time, step, 1);
    }
  });
}

/// Body of the kernel that projects after such a step; `Work` is a MemberWork with another pseudo-inverse.
template <class Work, int Workers>
__device__ __forceinline__ void project_members(const Batch& batch, const Method& method, const TimeGrid& time,
                                                long step, const double* before) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long index) {
    project_after(team, work, BatchPlace<Work>{batch, index}, method, time, step, before);
  });
}

}  // namespace kalaba
