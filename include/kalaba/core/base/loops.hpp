#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Calls f(i) for i = first ... end-1, which lie within 0 ... N. Loops of small extent are fully unrolled.
template <int N, class F>
KALABA_FN void count_between(int first, int end, const F& f) {
  if constexpr (N <= 8) {
    KALABA_UNROLL
    for (int i = first; i < end; ++i) f(i);
  } else {
    for (int i = first; i < end; ++i) f(i);
  }
}

/// Calls f(i) for i = first ... N-1, or down from N-1 to first. Loops of small extent are fully unrolled, so that
/// arrays can be kept in registers.
template <int N, class F>
KALABA_FN void count_up(int first, const F& f) {
  if constexpr (N <= 8) {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) {
      if (i >= first) f(i);
    }
  } else {
    for (int i = first; i < N; ++i) f(i);
  }
}
template <int N, class F>
KALABA_FN void count_down(int first, const F& f) {
  if constexpr (N <= 8) {
    KALABA_UNROLL
    for (int i = N - 1; i >= 0; --i) {
      if (i >= first) f(i);
    }
  } else {
    for (int i = N - 1; i >= first; --i) f(i);
  }
}

}  // namespace kalaba
