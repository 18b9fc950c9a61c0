#pragma once

// The one header that knows which compiler reads it: g++ and clang for a CPU, nvcc, or NVRTC (which has no standard
// library). Everything else in core/ is written once over the names below.

// KALABA_FN: a function that is always inlined; KALABA_LAMBDA marks such a lambda. KALABA_NOINLINE: one that is
// compiled once and called; on a GPU it is inlined too, so that its arrays stay in registers, unless the members live
// in shared memory anyway (KALABA_SHARED_MEMBERS). See `inlined_if`. KALABA_DATA: numbers beside functions.
// KALABA_FOR_GPU: inlined work had better be asked for once.
#if defined(__CUDACC__)
#define KALABA_FN __host__ __device__ __forceinline__
#define KALABA_LAMBDA
#define KALABA_DATA __device__
#define KALABA_FOR_GPU true
#else
#if defined(KALABA_CALLS)  // no more is inlined than the compiler likes to: half the code where sanitizers watch it
#define KALABA_FN inline
#define KALABA_LAMBDA
#else
#define KALABA_FN inline __attribute__((always_inline))
#define KALABA_LAMBDA __attribute__((always_inline))
#endif
#define KALABA_DATA
#define KALABA_FOR_GPU false
#endif
#if defined(__CUDACC__) && defined(KALABA_SHARED_MEMBERS)
#define KALABA_NOINLINE __host__ __device__ __noinline__
#elif defined(__CUDACC__)
#define KALABA_NOINLINE KALABA_FN
#elif defined(__clang__)
#define KALABA_NOINLINE __attribute__((noinline))
#else  // g++ would compile it once for every constant that it is called with
#define KALABA_NOINLINE __attribute__((noinline, noclone))
#endif

// Unrolls a loop over a small compile-time extent, so that its arrays can live in registers. clang does so unasked, and
// would warn wherever it is asked and cannot. A kernel whose members live in shared memory asks for little of it.
#if defined(__CUDA_ARCH__) && defined(KALABA_SHARED_MEMBERS)
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
/// work(), compiled once and called, which halves the build at the same speed; or inlined where the
/// model is `Small`, with at most one constraint: its numbers then stay in registers, at 1.7 times the speed.
template <bool Small, class Work>
KALABA_FN auto inlined_if(const Work& work) {
  if constexpr (Small) {
    return work();
  } else {
    return noinline_call(work);
  }
}

// The C library's overloads stay visible beside the ones for packs and dual numbers, also to `kalaba::` models.
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
