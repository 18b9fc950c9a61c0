#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba {

namespace detail {
/// Returns f(k) for every pack.
template <class Result, class F>
KALABA_FN Result of_each(const F& f) {
  Result result;
  KALABA_UNROLL
  for (int k = 0; k < Result::count; ++k) result.of[k] = f(k);
  return result;
}
}  // namespace detail

/// A Real of K packs of members that step together: the divisions and roots of one pack execute while those of another
/// wait for their operands. Every operation acts on the packs one by one, so the bits of a member do not depend on K.
template <class X, int K>
struct Packs {
  static constexpr int count = K;
  static constexpr int lanes = K * X::lanes;
  using Number = Scalar<X>;

  struct Mask {
    static constexpr int count = K;
    MaskOf<X> of[K];

    friend KALABA_FN Mask operator!(const Mask& a) {
      return detail::of_each<Mask>([&](int k) KALABA_LAMBDA { return !a.of[k]; });
    }
    friend KALABA_FN Mask both(const Mask& a, const Mask& b) {
      return detail::of_each<Mask>([&](int k) KALABA_LAMBDA { return both(a.of[k], b.of[k]); });
    }
    friend KALABA_FN Mask either(const Mask& a, const Mask& b) {
      return detail::of_each<Mask>([&](int k) KALABA_LAMBDA { return either(a.of[k], b.of[k]); });
    }
    friend KALABA_FN bool any(const Mask& a) {
      MaskOf<X> some = a.of[0];
      KALABA_UNROLL
      for (int k = 1; k < K; ++k) some = either(some, a.of[k]);
      return any(some);
    }
    friend KALABA_FN bool all(const Mask& a) {
      MaskOf<X> every = a.of[0];
      KALABA_UNROLL
      for (int k = 1; k < K; ++k) every = both(every, a.of[k]);
      return all(every);
    }
  };

  X of[K];

  Packs() = default;
  KALABA_FN Packs(const X& x) {
    KALABA_UNROLL
    for (int k = 0; k < K; ++k) of[k] = x;
  }
  KALABA_FN Packs(double x) : Packs(X(x)) {}
  KALABA_FN Packs(float x) : Packs(X(x)) {}
  KALABA_FN Packs(int x) : Packs(X(x)) {}
  // Copies pack by pack: a copy of the whole would go through memory.
  KALABA_FN Packs(const Packs& other) { *this = other; }
  KALABA_FN Packs& operator=(const Packs& other) {
    KALABA_UNROLL
    for (int k = 0; k < K; ++k) of[k] = other.of[k];
    return *this;
  }

  KALABA_FN static Packs load(const Number* from) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return X::load(from + k * X::lanes); });
  }
  KALABA_FN void store(Number* to) const {
    KALABA_UNROLL
    for (int k = 0; k < K; ++k) of[k].store(to + k * X::lanes);
  }
  /// Conversions from and to doubles.
  KALABA_FN static Packs from(const double* numbers) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return X::from(numbers + k * X::lanes); });
  }
  KALABA_FN void to(double* numbers) const {
    KALABA_UNROLL
    for (int k = 0; k < K; ++k) of[k].to(numbers + k * X::lanes);
  }
  /// Returns function(number) in every lane.
  template <class Function>
  friend KALABA_FN Packs map_lanes(const Packs& a, const Function& function) {
    return map(a, [&](const X& x) KALABA_LAMBDA { return map_lanes(x, function); });
  }
  friend KALABA_FN Number lane_of(const Packs& a, int lane) { return lane_of(a.of[lane / X::lanes], lane % X::lanes); }

  friend KALABA_FN Packs operator+(const Packs& a, const Packs& b) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return a.of[k] + b.of[k]; });
  }
  friend KALABA_FN Packs operator-(const Packs& a, const Packs& b) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return a.of[k] - b.of[k]; });
  }
  friend KALABA_FN Packs operator*(const Packs& a, const Packs& b) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return a.of[k] * b.of[k]; });
  }
  friend KALABA_FN Packs operator/(const Packs& a, const Packs& b) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return a.of[k] / b.of[k]; });
  }
  friend KALABA_FN Packs operator-(const Packs& a) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return -a.of[k]; });
  }
  friend KALABA_FN Mask operator<(const Packs& a, const Packs& b) {
    return detail::of_each<Mask>([&](int k) KALABA_LAMBDA { return a.of[k] < b.of[k]; });
  }
  friend KALABA_FN Mask operator<=(const Packs& a, const Packs& b) {
    return detail::of_each<Mask>([&](int k) KALABA_LAMBDA { return a.of[k] <= b.of[k]; });
  }
  friend KALABA_FN Mask operator>(const Packs& a, const Packs& b) { return b < a; }
  friend KALABA_FN Mask operator>=(const Packs& a, const Packs& b) { return b <= a; }
  friend KALABA_FN Mask operator==(const Packs& a, const Packs& b) {
    return detail::of_each<Mask>([&](int k) KALABA_LAMBDA { return a.of[k] == b.of[k]; });
  }
  friend KALABA_FN Mask operator!=(const Packs& a, const Packs& b) {
    return detail::of_each<Mask>([&](int k) KALABA_LAMBDA { return a.of[k] != b.of[k]; });
  }
  friend KALABA_FN Packs select(const Mask& mask, const Packs& a, const Packs& b) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return select(mask.of[k], a.of[k], b.of[k]); });
  }
  friend KALABA_FN Packs fma(const Packs& a, const Packs& b, const Packs& c) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return fma(a.of[k], b.of[k], c.of[k]); });
  }
  friend KALABA_FN Packs pow(const Packs& a, const Packs& b) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return pow(a.of[k], b.of[k]); });
  }
  friend KALABA_FN Packs atan2(const Packs& y, const Packs& x) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return atan2(y.of[k], x.of[k]); });
  }
  friend KALABA_FN Packs abs(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return abs(x); });
  }
  friend KALABA_FN Packs sqrt(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return sqrt(x); });
  }
  friend KALABA_FN Packs rsqrt(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return rsqrt(x); });
  }
  friend KALABA_FN Packs sin(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return sin(x); });
  }
  friend KALABA_FN Packs cos(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return cos(x); });
  }
  friend KALABA_FN Packs tan(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return tan(x); });
  }
  friend KALABA_FN Packs asin(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return asin(x); });
  }
  friend KALABA_FN Packs acos(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return acos(x); });
  }
  friend KALABA_FN Packs atan(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return atan(x); });
  }
  friend KALABA_FN Packs exp(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return exp(x); });
  }
  friend KALABA_FN Packs log(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return log(x); });
  }
  friend KALABA_FN Packs tanh(const Packs& a) {
    return map(a, [](const X& x) KALABA_LAMBDA { return tanh(x); });
  }

 private:
  template <class F>
  KALABA_FN static Packs map(const Packs& a, const F& f) {
    return detail::of_each<Packs>([&](int k) KALABA_LAMBDA { return f(a.of[k]); });
  }
};

template <class X, int K>
struct ScalarOf<Packs<X, K>> {
  using type = Scalar<X>;
};

}  // namespace kalaba
