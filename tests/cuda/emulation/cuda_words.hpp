#pragma once

// Prepended to every kernel that the emulated NVRTC compiles with the host's compiler: CUDA's keywords and functions.
// __CUDACC__, __CUDACC_RTC__ and __CUDA_ARCH__ stay undefined, so that the core uses its host definitions. __global__,
// __launch_bounds__ and __shared__ are handled by rewrite.cpp, because a macro cannot implement them.

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include <utility>

#include "kernel_interface.hpp"

#define __host__
#define __device__
#define __constant__
#define KALABA_CALLS  // in a fraction of the time
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))

using uint3 = kalaba_emulated::Index;
using dim3 = kalaba_emulated::Index;

extern "C" {
/// Set by the driver when it loads the module.
const kalaba_emulated::Services* kalaba_emulated_services;
}

#define threadIdx (kalaba_emulated_services->place()->thread)
#define blockIdx (kalaba_emulated_services->place()->block)
#define blockDim (kalaba_emulated_services->place()->block_size)
#define gridDim (kalaba_emulated_services->place()->grid_size)
constexpr int warpSize = kalaba_emulated::warp_size;

inline void __syncthreads() { kalaba_emulated_services->synchronize_block(); }
inline void __syncwarp(unsigned mask = 0xffffffffU) { kalaba_emulated_services->synchronize_warp(mask); }
inline unsigned __ballot_sync(unsigned mask, int vote) { return kalaba_emulated_services->ballot(mask, vote != 0); }
inline int __any_sync(unsigned mask, int vote) { return __ballot_sync(mask, vote) != 0 ? 1 : 0; }
inline int __all_sync(unsigned mask, int vote) { return __ballot_sync(mask, vote == 0 ? 1 : 0) == 0 ? 1 : 0; }

namespace kalaba_emulated {

inline int lane() {
  const Place& at = *kalaba_emulated_services->place();
  const unsigned size_xy = at.block_size.x * at.block_size.y;
  return static_cast<int>((at.thread.x + at.thread.y * at.block_size.x + at.thread.z * size_xy) % warp_size);
}

template <class T>
T shuffle(unsigned mask, T value, int source_lane) {
  static_assert(sizeof(T) <= sizeof(unsigned long long));
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = kalaba_emulated_services->shuffle(mask, bits, source_lane);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Source lane of a shuffle within groups of `width` lanes; the lane itself if the source is outside its group.
inline int within(int source, int width) { return source / width == lane() / width && source >= 0 ? source : lane(); }

}  // namespace kalaba_emulated

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  return kalaba_emulated::shuffle(mask, value, kalaba_emulated::lane() / width * width + (source & (width - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = warpSize) {
  return kalaba_emulated::shuffle(mask, value, kalaba_emulated::within(kalaba_emulated::lane() ^ bits, width));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
  const int source = kalaba_emulated::lane() + static_cast<int>(by);
  return kalaba_emulated::shuffle(mask, value, kalaba_emulated::within(source, width));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
  const int source = kalaba_emulated::lane() - static_cast<int>(by);
  return kalaba_emulated::shuffle(mask, value, kalaba_emulated::within(source, width));
}

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T atomicAdd(T* address, T value) {  // the threads of a block take turns, kernels of two streams do not
  T seen;
  __atomic_load(address, &seen, __ATOMIC_RELAXED);
  T sum = seen + value;
  while (!__atomic_compare_exchange(address, &seen, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    sum = seen + value;
  return seen;
}
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrtf(float x) { return 1.0F / sqrtf(x); }

namespace kalaba_emulated {

/// The loader allocates a module's thread-local variables (its __shared__ ones) at the first access. The driver must
/// cause this access: otherwise the memory would appear to be passed between the threads of a block.
inline void place_thread_locals() {
  static thread_local volatile char any;
  any = 0;
}

/// Function by which the driver calls a kernel with unknown parameter types.
template <auto function>
struct Launcher;
template <class... Parameters, void (*function)(Parameters...)>
struct Launcher<function> {
  static_assert((__is_trivially_copyable(Parameters) && ...), "a kernel's parameters must be trivially copyable");
  static constexpr unsigned long sizes[] = {sizeof(Parameters)..., 0};

  static void call(void* const* values) { call(values, std::index_sequence_for<Parameters...>{}); }
  template <size_t... i>
  static void call(void* const* values, std::index_sequence<i...> /*of the parameters*/) {
    function(*static_cast<const Parameters*>(values[i])...);
  }
  static constexpr Kernel kernel(int most_threads) {
    return {static_cast<int>(sizeof...(Parameters)), sizes, most_threads, &place_thread_locals, &call};
  }
};

}  // namespace kalaba_emulated
