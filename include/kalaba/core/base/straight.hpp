#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Calls f(0) ... f(N-1), unrolled if N is at most 16: arrays that are indexed only by constants are kept in registers.
template <int N, int First = 0, class F>
KALABA_FN void straight(const F& f) {
  if constexpr (N > 16) {
    for (int i = 0; i < N; ++i) f(i);
  } else if constexpr (First < N) {
    f(First);
    straight<N, First + 1>(f);
  }
}

}  // namespace kalaba
