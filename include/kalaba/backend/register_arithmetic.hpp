#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "kalaba/core/portable.hpp"

namespace kalaba {

namespace detail {

// What xsimd 8 lacks or gets wrong for AVX-512: a fused multiply-add, and 1/sqrt to 14 bits (its own wants AVX-512ER).
// The zero-masked form with a full mask, because g++ 12 warns of its own header in the plain one.
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

/// One Newton step for 1/sqrt(a): doubles the correct bits of y.
template <class B>
KALABA_FN B refine(const B& a, const B& y) {
  using T = typename B::value_type;
  return fused(y * B(T(0.5)), fused(-(a * y), y, B(T(1))), y);
}
template <Avx512 A>
KALABA_FN xsimd::batch<double, A> reciprocal_root(const xsimd::batch<double, A>& a) {
  const xsimd::batch<double, A> rough = _mm512_maskz_rsqrt14_pd(0xFF, a);
  return refine(a, refine(a, rough));
}
template <Avx512 A>
KALABA_FN xsimd::batch<float, A> reciprocal_root(const xsimd::batch<float, A>& a) {
  const xsimd::batch<float, A> rough = _mm512_maskz_rsqrt14_ps(0xFFFF, a);
  return refine(a, rough);
}
template <class T, class A>
KALABA_FN xsimd::batch<T, A> reciprocal_root(const xsimd::batch<T, A>& a) {
  return xsimd::batch<T, A>(T(1)) / xsimd::sqrt(a);
}

/// a/b to 1 ulp by Newton steps from 14 bits, in a quarter of the time of a division; b must be normal, and a zero or
/// infinite one gives NaN.
template <class B>
KALABA_FN B quotient(const B& a, const B& b, B rough) {
  const B one(1);
  for (unsigned step = 0; step < sizeof(typename B::value_type) / 4; ++step) {
    rough = fused(fused(-b, rough, one), rough, rough);
  }
  const B first = a * rough;
  return fused(fused(-b, first, a), rough, first);
}
template <Avx512 A>
KALABA_FN xsimd::batch<double, A> divide(const xsimd::batch<double, A>& a, const xsimd::batch<double, A>& b) {
  return quotient(a, b, xsimd::batch<double, A>(_mm512_maskz_rcp14_pd(0xFF, b)));
}
template <Avx512 A>
KALABA_FN xsimd::batch<float, A> divide(const xsimd::batch<float, A>& a, const xsimd::batch<float, A>& b) {
  return quotient(a, b, xsimd::batch<float, A>(_mm512_maskz_rcp14_ps(0xFFFF, b)));
}
template <class T, class A>
KALABA_FN xsimd::batch<T, A> divide(const xsimd::batch<T, A>& a, const xsimd::batch<T, A>& b) {
  return a / b;
}

}  // namespace detail

}  // namespace kalaba
