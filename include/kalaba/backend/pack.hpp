#pragma once

#include <type_traits>
#include "kalaba/backend/simd.hpp"

#include "kalaba/backend/newton.hpp"
#include "kalaba/backend/register_arithmetic.hpp"
#include "kalaba/backend/trigonometry.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// A Real of many numbers: one SIMD register of T, with one member per lane. A comparison gives a Mask, one bool per
/// lane; no operation mixes lanes. (Two registers per pack were measured slower under g++ and clang: the small matrices
/// of one member then no longer fit in the register file.)
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
  /// Conversions from and to doubles.
  KALABA_FN static Pack from(const double* numbers) {
    T numbers_of_type[lanes];
    for (int i = 0; i < lanes; ++i) numbers_of_type[i] = static_cast<T>(numbers[i]);
    return load(numbers_of_type);
  }
  KALABA_FN void to(double* numbers) const {
    T numbers_of_type[lanes];
    store(numbers_of_type);
    for (int i = 0; i < lanes; ++i) numbers[i] = static_cast<double>(numbers_of_type[i]);
  }
  /// Returns function(number) in every lane.
  template <class Function>
  friend KALABA_FN Pack map_lanes(const Pack& a, const Function& function) {
    T numbers[lanes];
    a.store(numbers);
    for (T& number : numbers) number = static_cast<T>(function(static_cast<double>(number)));
    return load(numbers);
  }
  friend KALABA_FN T lane_of(const Pack& a, int lane) {
    T numbers[lanes];
    a.store(numbers);
    return numbers[lane];
  }

  friend KALABA_FN Pack operator+(const Pack& a, const Pack& b) { return a.batch + b.batch; }
  friend KALABA_FN Pack operator-(const Pack& a, const Pack& b) { return a.batch - b.batch; }
  friend KALABA_FN Pack operator*(const Pack& a, const Pack& b) { return a.batch * b.batch; }
  friend KALABA_FN Pack operator/(const Pack& a, const Pack& b) {
    if constexpr (requires { detail::rough_reciprocal(b.batch); }) {
      return detail::quotient(a, b, Pack(detail::rough_reciprocal(b.batch)));
    } else {
      return a.batch / b.batch;
    }
  }
  /// (The xsimd function for AVX-512 is 0 - a, which loses the sign of zero.)
  friend KALABA_FN Pack operator-(const Pack& a) { return Batch(T(-0.0)) - a.batch; }
  friend KALABA_FN Mask operator<(const Pack& a, const Pack& b) { return {a.batch < b.batch}; }
  friend KALABA_FN Mask operator<=(const Pack& a, const Pack& b) { return {a.batch <= b.batch}; }
  friend KALABA_FN Mask operator>(const Pack& a, const Pack& b) { return {b.batch < a.batch}; }
  friend KALABA_FN Mask operator>=(const Pack& a, const Pack& b) { return {b.batch <= a.batch}; }
  friend KALABA_FN Mask operator==(const Pack& a, const Pack& b) { return {a.batch == b.batch}; }
  friend KALABA_FN Mask operator!=(const Pack& a, const Pack& b) { return {a.batch != b.batch}; }
  friend KALABA_FN Pack select(const Mask& mask, const Pack& a, const Pack& b) {
    return xsimd::select(mask.batch, a.batch, b.batch);
  }

  /// a b + c with one rounding if the machine supports it.
  friend KALABA_FN Pack fma(const Pack& a, const Pack& b, const Pack& c) {
    return detail::fused(a.batch, b.batch, c.batch);
  }
  friend KALABA_FN Pack abs(const Pack& a) { return xsimd::abs(a.batch); }
  friend KALABA_FN Pack sqrt(const Pack& a) { return xsimd::sqrt(a.batch); }
  /// 1/sqrt(a) to about 2 epsilon, for normal a > 0.
  friend KALABA_FN Pack rsqrt(const Pack& a) {
    if constexpr (requires { detail::rough_root(a.batch); }) {
      return detail::refined_root(a, Pack(detail::rough_root(a.batch)));
    } else {
      return Batch(T(1)) / xsimd::sqrt(a.batch);
    }
  }
  friend KALABA_FN Pack sin(const Pack& a) { return detail::sine(a.batch); }
  friend KALABA_FN Pack cos(const Pack& a) { return detail::cosine(a.batch); }
  friend KALABA_FN Pack tan(const Pack& a) { return detail::tangent(a.batch); }
  friend KALABA_FN Pack asin(const Pack& a) { return detail::arc_sine(a.batch); }
  friend KALABA_FN Pack acos(const Pack& a) { return detail::arc_cosine(a.batch); }
  friend KALABA_FN Pack atan(const Pack& a) { return detail::arc_tangent(a.batch); }
  friend KALABA_FN Pack exp(const Pack& a) { return xsimd::exp(a.batch); }
  friend KALABA_FN Pack log(const Pack& a) { return detail::logarithm(a.batch); }
  friend KALABA_FN Pack tanh(const Pack& a) { return xsimd::tanh(a.batch); }
  friend KALABA_FN Pack pow(const Pack& a, const Pack& b) { return detail::to_power(a.batch, b.batch); }
  friend KALABA_FN Pack atan2(const Pack& y, const Pack& x) { return xsimd::atan2(y.batch, x.batch); }
};

template <class T, class Arch>
struct ScalarOf<Pack<T, Arch>> {
  using type = T;
};

}  // namespace kalaba
