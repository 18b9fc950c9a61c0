#pragma once

#include <type_traits>
#include "kalaba/backend/simd.hpp"

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

namespace detail {

// Functions that are missing or wrong in xsimd 8 for AVX-512: a fused multiply-add, and 1/sqrt to 14 bits (that of
// xsimd requires AVX-512ER). The zero-masked intrinsics with a full mask avoid warnings of g++ 12 in its own header.
template <class A>
concept Avx512 = std::is_base_of_v<xsimd::avx512f, A>;

template <Avx512 A>
KALABA_FN xsimd::batch<double, A> fused(const xsimd::batch<double, A>& a, const xsimd::batch<double, A>& b,
                                        const xsimd::batch<double, A>& c) {
  return _mm512_fmadd_pd(a, b, c);
}
template <Avx512 A>
KALABA_FN xsimd::batch<float, A> fused(const xsimd::batch<float, A>& a, const xsimd::batch<float, A>& b,
                                       const xsimd::batch<float, A>& c) {
  return _mm512_fmadd_ps(a, b, c);
}
template <class T, class A>
KALABA_FN xsimd::batch<T, A> fused(const xsimd::batch<T, A>& a, const xsimd::batch<T, A>& b,
                                   const xsimd::batch<T, A>& c) {
  return xsimd::fma(a, b, c);
}

/// 1/sqrt(a) and 1/a to 14 bits, on machines that support them.
template <Avx512 A>
KALABA_FN xsimd::batch<double, A> rough_root(const xsimd::batch<double, A>& a) {
  return _mm512_maskz_rsqrt14_pd(0xFF, a);
}
template <Avx512 A>
KALABA_FN xsimd::batch<float, A> rough_root(const xsimd::batch<float, A>& a) {
  return _mm512_maskz_rsqrt14_ps(0xFFFF, a);
}
template <Avx512 A>
KALABA_FN xsimd::batch<double, A> rough_reciprocal(const xsimd::batch<double, A>& a) {
  return _mm512_maskz_rcp14_pd(0xFF, a);
}
template <Avx512 A>
KALABA_FN xsimd::batch<float, A> rough_reciprocal(const xsimd::batch<float, A>& a) {
  return _mm512_maskz_rcp14_ps(0xFFFF, a);
}

}  // namespace detail

}  // namespace kalaba
