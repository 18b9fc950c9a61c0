#pragma once

#include "kalaba/core/base/team.hpp"
#include "kernels/batch.hpp"
#include "kernels/tile.cuh"

namespace kalaba {

/// Dynamic shared memory of the block.
template <class T>
__device__ T* shared_workspace() {
  extern __shared__ __align__(16) double kalaba_shared[];
  return reinterpret_cast<T*>(kalaba_shared);
}

/// Calls work(team, workspace, member) for the member of this thread: one thread per member with its workspace in
/// registers, or Workers threads per member with it in shared memory.
template <class Workspace, int Workers, class Work>
__device__ __forceinline__ void for_my_member(long members, const Work& work) {
  const Grid grid{Workers, static_cast<int>(blockDim.x)};
  const int thread = static_cast<int>(threadIdx.x);
  const long member = grid.member(blockIdx.x, thread);
  if (member >= members) return;  // all threads of a tile return
  if constexpr (Workers == 1) {
    Workspace workspace;
    work(Solo{}, workspace, member);
  } else {
    work(Tile<Workers>{}, shared_workspace<Workspace>()[grid.place(thread)], member);
  }
}

}  // namespace kalaba
