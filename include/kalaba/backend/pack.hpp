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

/// Result{f(0), f(1), ...}, register by register.
template <class Result, int Batches, class F>
KALABA_FN Result map_parts(const F& f) {
  Result result;
  KALABA_UNROLL
  for (int i = 0; i < Batches; ++i) result.part[i] = f(i);
  return result;
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

/// A Real that is many numbers: Batches SIMD registers of T that step together, to hide the latency of roots and
/// divisions. A comparison gives a Mask, one bool a lane; no operation mixes lanes.
template <class T, int Batches, class Arch = xsimd::default_arch>
struct Pack {
  using Batch = xsimd::batch<T, Arch>;
  static constexpr int batch_lanes = static_cast<int>(Batch::size);
  static constexpr int lanes = Batches * batch_lanes;

  struct Mask {
    typename Batch::batch_bool_type part[Batches];

    friend KALABA_FN Mask operator!(const Mask& a) {
      return detail::map_parts<Mask, Batches>([&](int i) { return ~a.part[i]; });
    }
    friend KALABA_FN Mask both(const Mask& a, const Mask& b) {
      return detail::map_parts<Mask, Batches>([&](int i) { return a.part[i] & b.part[i]; });
    }
    friend KALABA_FN Mask either(const Mask& a, const Mask& b) {
      return detail::map_parts<Mask, Batches>([&](int i) { return a.part[i] | b.part[i]; });
    }
    friend KALABA_FN bool any(const Mask& a) {
      auto merged = a.part[0];
      for (int i = 1; i < Batches; ++i) merged = merged | a.part[i];
      return xsimd::any(merged);
    }
    friend KALABA_FN bool all(const Mask& a) {
      auto merged = a.part[0];
      for (int i = 1; i < Batches; ++i) merged = merged & a.part[i];
      return xsimd::all(merged);
    }
  };

  Batch part[Batches];

  Pack() = default;
  template <class S>
  requires std::is_arithmetic_v<S> KALABA_FN Pack(S x) {
    for (int i = 0; i < Batches; ++i) part[i] = Batch(static_cast<T>(x));
  }

  KALABA_FN static Pack load(const T* from) {
    return detail::map_parts<Pack, Batches>([&](int i) { return Batch::load_unaligned(from + i * batch_lanes); });
  }
  KALABA_FN void store(T* to) const {
    for (int i = 0; i < Batches; ++i) part[i].store_unaligned(to + i * batch_lanes);
  }

  friend KALABA_FN Pack operator+(const Pack& a, const Pack& b) {
    return detail::map_parts<Pack, Batches>([&](int i) { return a.part[i] + b.part[i]; });
  }
  friend KALABA_FN Pack operator-(const Pack& a, const Pack& b) {
    return detail::map_parts<Pack, Batches>([&](int i) { return a.part[i] - b.part[i]; });
  }
  friend KALABA_FN Pack operator*(const Pack& a, const Pack& b) {
    return detail::map_parts<Pack, Batches>([&](int i) { return a.part[i] * b.part[i]; });
  }
  friend KALABA_FN Pack operator/(const Pack& a, const Pack& b) {
    return detail::map_parts<Pack, Batches>([&](int i) { return detail::divide(a.part[i], b.part[i]); });
  }
  friend KALABA_FN Pack operator-(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return -a.part[i]; });
  }
  friend KALABA_FN Mask operator<(const Pack& a, const Pack& b) {
    return detail::map_parts<Mask, Batches>([&](int i) { return a.part[i] < b.part[i]; });
  }
  friend KALABA_FN Mask operator<=(const Pack& a, const Pack& b) {
    return detail::map_parts<Mask, Batches>([&](int i) { return a.part[i] <= b.part[i]; });
  }
  friend KALABA_FN Mask operator>(const Pack& a, const Pack& b) { return b < a; }
  friend KALABA_FN Mask operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend KALABA_FN Mask operator==(const Pack& a, const Pack& b) {
    return detail::map_parts<Mask, Batches>([&](int i) { return a.part[i] == b.part[i]; });
  }
  friend KALABA_FN Mask operator!=(const Pack& a, const Pack& b) {
    return detail::map_parts<Mask, Batches>([&](int i) { return a.part[i] != b.part[i]; });
  }
  friend KALABA_FN Pack select(const Mask& mask, const Pack& a, const Pack& b) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::select(mask.part[i], a.part[i], b.part[i]); });
  }

  /// a b + c in one rounding where the machine can.
  friend KALABA_FN Pack fma(const Pack& a, const Pack& b, const Pack& c) {
    return detail::map_parts<Pack, Batches>([&](int i) { return detail::fused(a.part[i], b.part[i], c.part[i]); });
  }
  friend KALABA_FN Pack abs(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::abs(a.part[i]); });
  }
  friend KALABA_FN Pack sqrt(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::sqrt(a.part[i]); });
  }
  /// 1/sqrt(a) to about 2 epsilon, for normal a > 0.
  friend KALABA_FN Pack rsqrt(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return detail::reciprocal_root(a.part[i]); });
  }
  friend KALABA_FN Pack sin(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::sin(a.part[i]); });
  }
  friend KALABA_FN Pack cos(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::cos(a.part[i]); });
  }
  friend KALABA_FN Pack tan(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::tan(a.part[i]); });
  }
  friend KALABA_FN Pack exp(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::exp(a.part[i]); });
  }
  friend KALABA_FN Pack log(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::log(a.part[i]); });
  }
  friend KALABA_FN Pack tanh(const Pack& a) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::tanh(a.part[i]); });
  }
  friend KALABA_FN Pack pow(const Pack& a, const Pack& b) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::pow(a.part[i], b.part[i]); });
  }
  friend KALABA_FN Pack atan2(const Pack& y, const Pack& x) {
    return detail::map_parts<Pack, Batches>([&](int i) { return xsimd::atan2(y.part[i], x.part[i]); });
  }
};

template <class T, int Batches, class Arch>
struct ScalarOf<Pack<T, Batches, Arch>> {
  using type = T;
};

}  // namespace kalaba
