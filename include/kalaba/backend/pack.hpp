#pragma once

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "kalaba/core/real.hpp"

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

/// A Real that is many numbers: one SIMD register of T, a member a lane. A comparison gives a Mask, one bool a lane; no
/// operation mixes lanes. (Two registers a pack were measured slower under g++ and clang: the small matrices of one
/// member then no longer fit the register file.)
template <class T, class Arch = xsimd::default_arch>
struct Pack {
  using Batch = xsimd::batch<T, Arch>;
  static constexpr int lanes = static_cast<int>(Batch::size);

  struct Mask {
    typename Batch::batch_bool_type batch;

    friend KALABA_FN Mask operator!(const Mask& a) { return {~a.batch}; }
    friend KALABA_FN Mask both(const Mask& a, const Mask& b) { return {a.batch & b.batch}; }
    friend KALABA_FN Mask either(const Mask& a, const Mask& b) { return {a.batch | b.batch}; }
    friend KALABA_FN bool any(const Mask& a) { return xsimd::any(a.batch); }
    friend KALABA_FN bool all(const Mask& a) { return xsimd::all(a.batch); }
  };

  Batch batch;

  Pack() = default;
  KALABA_FN Pack(const Batch& b) : batch(b) {}
  template <class S>
  requires std::is_arithmetic_v<S> KALABA_FN Pack(S x) : batch(static_cast<T>(x)) {}

  KALABA_FN static Pack load(const T* from) { return Batch::load_unaligned(from); }
  KALABA_FN void store(T* to) const { batch.store_unaligned(to); }

  friend KALABA_FN Pack operator+(const Pack& a, const Pack& b) { return a.batch + b.batch; }
  friend KALABA_FN Pack operator-(const Pack& a, const Pack& b) { return a.batch - b.batch; }
  friend KALABA_FN Pack operator*(const Pack& a, const Pack& b) { return a.batch * b.batch; }
  friend KALABA_FN Pack operator/(const Pack& a, const Pack& b) { return detail::divide(a.batch, b.batch); }
  friend KALABA_FN Pack operator-(const Pack& a) { return -a.batch; }
  friend KALABA_FN Mask operator<(const Pack& a, const Pack& b) { return {a.batch < b.batch}; }
  friend KALABA_FN Mask operator<=(const Pack& a, const Pack& b) { return {a.batch <= b.batch}; }
  friend KALABA_FN Mask operator>(const Pack& a, const Pack& b) { return {b.batch < a.batch}; }
  friend KALABA_FN Mask operator>=(const Pack& a, const Pack& b) { return {b.batch <= a.batch}; }
  friend KALABA_FN Mask operator==(const Pack& a, const Pack& b) { return {a.batch == b.batch}; }
  friend KALABA_FN Mask operator!=(const Pack& a, const Pack& b) { return {a.batch != b.batch}; }
  friend KALABA_FN Pack select(const Mask& mask, const Pack& a, const Pack& b) {
    return xsimd::select(mask.batch, a.batch, b.batch);
  }

  /// a b + c in one rounding where the machine can.
  friend KALABA_FN Pack fma(const Pack& a, const Pack& b, const Pack& c) {
    return detail::fused(a.batch, b.batch, c.batch);
  }
  friend KALABA_FN Pack abs(const Pack& a) { return xsimd::abs(a.batch); }
  friend KALABA_FN Pack sqrt(const Pack& a) { return xsimd::sqrt(a.batch); }
  /// 1/sqrt(a) to about 2 epsilon, for normal a > 0.
  friend KALABA_FN Pack rsqrt(const Pack& a) { return detail::reciprocal_root(a.batch); }
  friend KALABA_FN Pack sin(const Pack& a) { return xsimd::sin(a.batch); }
  friend KALABA_FN Pack cos(const Pack& a) { return xsimd::cos(a.batch); }
  friend KALABA_FN Pack tan(const Pack& a) { return xsimd::tan(a.batch); }
  friend KALABA_FN Pack exp(const Pack& a) { return xsimd::exp(a.batch); }
  friend KALABA_FN Pack log(const Pack& a) { return xsimd::log(a.batch); }
  friend KALABA_FN Pack tanh(const Pack& a) { return xsimd::tanh(a.batch); }
  friend KALABA_FN Pack pow(const Pack& a, const Pack& b) { return xsimd::pow(a.batch, b.batch); }
  friend KALABA_FN Pack atan2(const Pack& y, const Pack& x) { return xsimd::atan2(y.batch, x.batch); }
};

template <class T, class Arch>
struct ScalarOf<Pack<T, Arch>> {
  using type = T;
};

}  // namespace kalaba
