#pragma once

#include "kernels/member_kernels.cuh"

namespace kalaba {

// Bodies of the kernels that detect events; `Work` is a MemberWork that detects events. The events are a constant of
// the program.

template <class Work, int Workers>
__device__ __forceinline__ void start_watched_members(const Batch& batch, const Method& method, const Watch& watch,
                                                      double time, bool project, const Sensitivities& asked = {}) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long member) {
    work.ask(asked);
    work.start(team, BatchPlace<Work>{batch, member}, method, time, project, watch);
  });
}

template <class Work, int Workers>
__device__ __forceinline__ void advance_watched_members(const Batch& batch, const Method& method, const Watch& watch,
                                                        const TimeGrid& time, long first_step, long steps,
                                                        const Sensitivities& asked = {}) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long member) {
    work.ask(asked);
    work.advance(team, BatchPlace<Work>{batch, member}, method, watch, time, first_step, steps);
  });
}

template <class Work, int Workers>
__device__ __forceinline__ void observe_watched_members_between(const Batch& batch, const Method& method,
                                                                const Watch& watch, const TimeGrid& time, long step,
                                                                double t, unsigned fields, double* out,
                                                                const Sensitivities& asked = {}) {
  for_my_member<Work, Workers>(batch.members, [&](const auto& team, Work& work, long member) {
    work.ask(asked);
    BatchOut to = {out, batch.stride, member, fields};
    work.observe_between(team, BatchPlace<Work>{batch, member}, method, watch, time, step, t, to);
  });
}

}  // namespace kalaba
