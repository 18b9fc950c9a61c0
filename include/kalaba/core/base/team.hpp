#pragma once

#include "kalaba/core/base/portable.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

// A Team is the workers that share one ensemble member. Rules:
//  - all workers run the same algorithm on one workspace and take the same branches;
//  - for_each<N>(f) calls f for every index 0 … N-1 on exactly one worker, single(f) calls f on one; both start when
//    all workers have arrived and return when all are done;
//  - any(mask) is true for all workers if it is true for one;
//  - a worker writes shared data only inside for_each or single, and there only data that no other worker reads.

/// One worker per member: a CPU thread with a number or a pack, or a CUDA thread.
struct Solo {
  static constexpr int size = 1;

  template <int N, class F>
  KALABA_FN void for_each(const F& f) const {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) f(i);
  }
  template <class F>
  KALABA_FN void single(const F& f) const {
    f();
  }
  template <class Mask>
  KALABA_FN bool any(const Mask& mask) const {
    using kalaba::any;  // and the overload for masks of packs
    return any(mask);
  }
};

}  // namespace kalaba
