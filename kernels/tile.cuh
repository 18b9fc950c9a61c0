#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Team of L neighbouring threads of a warp (L a power of two up to 32) that share a member in shared memory.
template <int L>
struct Tile {
  static constexpr int size = L;
  static_assert(L > 1 && L <= 32 && (L & (L - 1)) == 0);

  template <int N, class F>
  __device__ __forceinline__ void for_each(const F& f) const {
    synchronize();
    for (int i = rank(); i < N; i += L) f(i);
    synchronize();
  }
  template <class F>
  __device__ __forceinline__ void single(const F& f) const {
    synchronize();
    if (rank() == 0) f();
    synchronize();
  }
  __device__ __forceinline__ bool any(bool mask) const { return __any_sync(lanes(), mask) != 0; }

 private:
  __device__ __forceinline__ static int rank() { return static_cast<int>(threadIdx.x) % L; }
  /// Lanes of the warp that form this tile.
  __device__ __forceinline__ static unsigned lanes() {
    constexpr unsigned first = L == 32 ? ~0U : (1U << (L % 32)) - 1U;
    return first << (threadIdx.x % 32U / L * L);
  }
  __device__ __forceinline__ static void synchronize() { __syncwarp(lanes()); }
};

}  // namespace kalaba
