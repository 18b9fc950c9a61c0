#pragma once

#include "kernels/batch_place.hpp"
#include "kernels/launch.cuh"

namespace kalaba {

// Bodies of the kernels that advance and observe a batch; `Work` is a MemberWork, and W a Watch if it detects events,
// else Unwatched. A kernel compiled at run time passes its method, its fields, its events and its variables of
// differentiation as constants, and the branches on them are eliminated.

template <class Work, int Workers, class W>
__device__ __forceinline__ void start_members(const Batch& batch, const Method& method, const W& watch, double time,
                                              bool project, const Sensitivities& asked = {}) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long member) {
    work.ask(asked);
    work.start(team, BatchPlace<Work>{batch, member}, method, time, project, watch);
  });
}

template <class Work, int Workers, class W>
__device__ __forceinline__ void advance_members(const Batch& batch, const Method& method, const W& watch,
                                                const TimeGrid& time, long first_step, long steps,
                                                const Sensitivities& asked = {}) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long member) {
    work.ask(asked);
    work.advance(team, BatchPlace<Work>{batch, member}, method, watch, time, first_step, steps);
  });
}

template <class Work, int Workers>
__device__ __forceinline__ void observe_members(const Batch& batch, const Method& method, double time, unsigned fields,
                                                double* out, const Sensitivities& asked = {}) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long member) {
    work.ask(asked);
    BatchOut to = {out, batch.stride, member, fields};
    work.observe(team, BatchPlace<Work>{batch, member}, method, time, to);
  });
}

template <class Work, int Workers, class W>
__device__ __forceinline__ void observe_members_between(const Batch& batch, const Method& method, const W& watch,
                                                        const TimeGrid& time, long step, double t, unsigned fields,
                                                        double* out, const Sensitivities& asked = {}) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long member) {
    work.ask(asked);
    BatchOut to = {out, batch.stride, member, fields};
    work.observe_between(team, BatchPlace<Work>{batch, member}, method, watch, time, step, t, to);
  });
}

}  // namespace kalaba
