#pragma once

// The only header that depends on the compiler: g++ and clang for a CPU, nvcc, or NVRTC (which has no standard
// library). The other files of core/ are written once, with the names below.

// KALABA_FN: a function that is always inlined; KALABA_LAMBDA marks such a lambda. KALABA_NOINLINE: a function that is
// compiled once and called. On a GPU it is inlined too, so that its arrays stay in registers, unless the members are in
// shared memory anyway (KALABA_SHARED_MEMBERS) or are changed by events, contacts and clocks (KALABA_CHANGING_MEMBERS).
// See `inlined_if`. KALABA_DATA: constants at namespace scope. KALABA_FOR_GPU: true if inlined work should be called
// from one place only. KALABA_MAKES_CHANGES: false in kernels whose members are not changed. KALABA_EVENTS,
// KALABA_OPERANDS: the largest numbers of events in a run and of their operands; a kernel is compiled with the numbers
// of its own.
#if defined(__CUDACC__)
#define KALABA_FN __host__ __device__ __forceinline__
#define KALABA_LAMBDA
#define KALABA_DATA __device__
#define KALABA_FOR_GPU true
#else
#if defined(KALABA_CALLS)  // leaves inlining to the compiler: half the code size under sanitizers
#define KALABA_FN inline
#define KALABA_LAMBDA
#else
#define KALABA_FN inline __attribute__((always_inline))
#define KALABA_LAMBDA __attribute__((always_inline))
#endif
#define KALABA_DATA
#define KALABA_FOR_GPU false
#endif
#if defined(__CUDACC__) && (defined(KALABA_SHARED_MEMBERS) || defined(KALABA_CHANGING_MEMBERS))
#define KALABA_NOINLINE __host__ __device__ __noinline__
#elif defined(__CUDACC__)
#define KALABA_NOINLINE KALABA_FN
#elif defined(__clang__)
#define KALABA_NOINLINE __attribute__((noinline))
#else  // g++ would compile it once for every constant argument
#define KALABA_NOINLINE __attribute__((noinline, noclone))
#endif

#if defined(__CUDACC__) && !defined(KALABA_CHANGING_MEMBERS)
#define KALABA_MAKES_CHANGES false
#else
#define KALABA_MAKES_CHANGES true
#endif
#if !defined(KALABA_EVENTS)
#define KALABA_EVENTS 52
#endif
#if !defined(KALABA_OPERANDS)
#define KALABA_OPERANDS 128
#endif

// Unrolls a loop over a small compile-time extent, so that its arrays can be kept in registers. clang unrolls without a
// pragma, and warns about pragmas that it cannot follow. A kernel whose functions are called unrolls less.
#if defined(__CUDA_ARCH__) && (defined(KALABA_SHARED_MEMBERS) || defined(KALABA_CHANGING_MEMBERS))
#define KALABA_UNROLL _Pragma("unroll 4")
#elif defined(__CUDA_ARCH__)
#define KALABA_UNROLL _Pragma("unroll")
#elif defined(__clang__) || defined(__CUDACC__)
#define KALABA_UNROLL
#else
#define KALABA_UNROLL _Pragma("GCC unroll 8")
#endif

#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

namespace kalaba {

template <class Work>
KALABA_NOINLINE auto noinline_call(const Work& work) {
  return work();
}
/// Calls work(), compiled once, which halves the build time at the same speed; or inlines it if the model is `Small`,
/// with at most one constraint: its numbers then stay in registers, and it runs 1.7 times as fast.
template <bool Small, class Work>
KALABA_FN auto inlined_if(const Work& work) {
  if constexpr (Small) {
    return work();
  } else {
    return noinline_call(work);
  }
}

// The C library's overloads remain visible beside those for packs and dual numbers, also to `kalaba::` models.
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cos;
using ::exp;
using ::fma;
using ::log;
using ::pow;
using ::sin;
using ::sqrt;
using ::tan;
using ::tanh;

KALABA_FN double abs(double x) { return ::fabs(x); }
KALABA_FN float abs(float x) { return ::fabsf(x); }

#if defined(__CUDA_ARCH__)
KALABA_FN double rsqrt(double x) { return ::rsqrt(x); }
KALABA_FN float rsqrt(float x) { return ::rsqrtf(x); }
#else
KALABA_FN double rsqrt(double x) { return 1.0 / ::sqrt(x); }
KALABA_FN float rsqrt(float x) { return 1.0F / ::sqrtf(x); }
#endif

}  // namespace kalaba
