#pragma once

// Pack for models compiled at run time: one SIMD register of members, bit-identical to kalaba/backend/pack.hpp, with
// the compiler's own vectors, so that neither xsimd nor the standard library is included. Elementary functions are the
// library's, called by address.

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/backend/newton.hpp"
#include "kalaba/core/base/real.hpp"

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace kalaba {

namespace detail {

template <class T>
struct LaneMask;
template <>
struct LaneMask<double> {
  using type = long long;
};
template <>
struct LaneMask<float> {
  using type = int;
};

template <class T, int Lanes>
struct Registers {
  typedef T Vector __attribute__((vector_size(sizeof(T) * Lanes)));
  typedef typename LaneMask<T>::type Mask __attribute__((vector_size(sizeof(T) * Lanes)));

  KALABA_FN static Mask less(Vector a, Vector b) { return a < b; }
  KALABA_FN static Mask less_equal(Vector a, Vector b) { return a <= b; }
  KALABA_FN static Mask equal(Vector a, Vector b) { return a == b; }
  KALABA_FN static Mask unequal(Vector a, Vector b) { return a != b; }
  KALABA_FN static Mask negation(Mask a) { return ~a; }
  KALABA_FN static Vector select(Mask mask, Vector a, Vector b) { return mask ? a : b; }
  KALABA_FN static bool any(Mask mask) {
    bool found = false;
    for (int i = 0; i < Lanes; ++i) found = found || mask[i] != 0;
    return found;
  }
  KALABA_FN static bool all(Mask mask) { return !any(~mask); }
  KALABA_FN static Vector magnitude(Vector a) { return a < 0 ? -a : a; }
};

#if defined(__AVX512F__)
template <>
struct Registers<double, 8> {
  typedef double Vector __attribute__((vector_size(64)));
  using Mask = __mmask8;
  KALABA_FN static Mask less(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
  KALABA_FN static Mask less_equal(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
  KALABA_FN static Mask equal(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
  KALABA_FN static Mask unequal(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ); }
  KALABA_FN static Mask negation(Mask a) { return static_cast<Mask>(~a); }
  KALABA_FN static Vector select(Mask mask, Vector a, Vector b) { return _mm512_mask_blend_pd(mask, b, a); }
  KALABA_FN static bool any(Mask mask) { return mask != 0; }
  KALABA_FN static bool all(Mask mask) { return mask == 0xFF; }
  KALABA_FN static Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
  KALABA_FN static Vector root(Vector a) { return _mm512_maskz_sqrt_pd(0xFF, a); }
  KALABA_FN static Vector rough_root(Vector a) { return _mm512_maskz_rsqrt14_pd(0xFF, a); }
  KALABA_FN static Vector rough_reciprocal(Vector a) { return _mm512_maskz_rcp14_pd(0xFF, a); }
  KALABA_FN static Vector magnitude(Vector a) { return _mm512_abs_pd(a); }
};
template <>
struct Registers<float, 16> {
  typedef float Vector __attribute__((vector_size(64)));
  using Mask = __mmask16;
  KALABA_FN static Mask less(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  KALABA_FN static Mask less_equal(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
  KALABA_FN static Mask equal(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
  KALABA_FN static Mask unequal(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
  KALABA_FN static Mask negation(Mask a) { return static_cast<Mask>(~a); }
  KALABA_FN static Vector select(Mask mask, Vector a, Vector b) { return _mm512_mask_blend_ps(mask, b, a); }
  KALABA_FN static bool any(Mask mask) { return mask != 0; }
  KALABA_FN static bool all(Mask mask) { return mask == 0xFFFF; }
  KALABA_FN static Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  KALABA_FN static Vector root(Vector a) { return _mm512_maskz_sqrt_ps(0xFFFF, a); }
  KALABA_FN static Vector rough_root(Vector a) { return _mm512_maskz_rsqrt14_ps(0xFFFF, a); }
  KALABA_FN static Vector rough_reciprocal(Vector a) { return _mm512_maskz_rcp14_ps(0xFFFF, a); }
  KALABA_FN static Vector magnitude(Vector a) { return _mm512_abs_ps(a); }
};
#endif

/// a b + c with one rounding if the machine supports it, by xsimd.
template <class R, class V>
KALABA_FN V fused(const V& a, const V& b, const V& c) {
#if defined(__FMA__)
  if constexpr (sizeof(V) == 32 && sizeof(a[0]) == 8) {
    return _mm256_fmadd_pd(a, b, c);
  } else if constexpr (sizeof(V) == 32) {
    return _mm256_fmadd_ps(a, b, c);
  }
#endif
#if defined(__ARM_FEATURE_FMA)
  V result;
  for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i) result[i] = __builtin_fma(a[i], b[i], c[i]);
  return result;
#endif
  if constexpr (requires { R::fused(a, b, c); }) {
    return R::fused(a, b, c);
  } else {
    return a * b + c;
  }
}
template <class R, class V>
KALABA_FN V root(const V& a) {
  if constexpr (requires { R::root(a); }) {
    return R::root(a);
  } else {
    V result;
    for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i) result[i] = __builtin_sqrt(a[i]);
    return result;
  }
}

}  // namespace detail

/// Set when the object is loaded.
template <class T>
inline PackMathematics<T> mathematics = {};

template <class T, int Lanes>
struct Pack {
  using R = detail::Registers<T, Lanes>;
  using Vector = typename R::Vector;
  static constexpr int lanes = Lanes;

  struct Mask {
    typename R::Mask mask;

    friend KALABA_FN Mask operator!(const Mask& a) { return {R::negation(a.mask)}; }
    friend KALABA_FN Mask both(const Mask& a, const Mask& b) {
      return {static_cast<typename R::Mask>(a.mask & b.mask)};
    }
    friend KALABA_FN Mask either(const Mask& a, const Mask& b) {
      return {static_cast<typename R::Mask>(a.mask | b.mask)};
    }
    friend KALABA_FN bool any(const Mask& a) { return R::any(a.mask); }
    friend KALABA_FN bool all(const Mask& a) { return R::all(a.mask); }
  };

  Vector vector;

  Pack() = default;
  KALABA_FN Pack(const Vector& v) : vector(v) {}
  KALABA_FN Pack(double x) : vector(static_cast<T>(x) - Vector{}) {}
  KALABA_FN Pack(float x) : vector(static_cast<T>(x) - Vector{}) {}
  KALABA_FN Pack(int x) : vector(static_cast<T>(x) - Vector{}) {}

  KALABA_FN static Pack load(const T* from) {
    Vector loaded;
    __builtin_memcpy(&loaded, from, sizeof loaded);
    return loaded;
  }
  KALABA_FN void store(T* to) const { __builtin_memcpy(to, &vector, sizeof vector); }
  /// Conversion from and to double.
  KALABA_FN static Pack from(const double* numbers) {
    typedef double Doubles __attribute__((vector_size(sizeof(double) * Lanes)));
    Doubles loaded;
    __builtin_memcpy(&loaded, numbers, sizeof loaded);
    return Vector(__builtin_convertvector(loaded, Vector));
  }
  KALABA_FN void to(double* numbers) const {
    typedef double Doubles __attribute__((vector_size(sizeof(double) * Lanes)));
    const Doubles stored = __builtin_convertvector(vector, Doubles);
    __builtin_memcpy(numbers, &stored, sizeof stored);
  }
  template <class Function>
  friend KALABA_FN Pack map_lanes(const Pack& a, const Function& function) {
    Vector result = a.vector;
    for (int i = 0; i < lanes; ++i) result[i] = static_cast<T>(function(static_cast<double>(a.vector[i])));
    return result;
  }
  friend KALABA_FN T lane_of(const Pack& a, int lane) { return a.vector[lane]; }

  friend KALABA_FN Pack operator+(const Pack& a, const Pack& b) { return Vector(a.vector + b.vector); }
  friend KALABA_FN Pack operator-(const Pack& a, const Pack& b) { return Vector(a.vector - b.vector); }
  friend KALABA_FN Pack operator*(const Pack& a, const Pack& b) { return Vector(a.vector * b.vector); }
  friend KALABA_FN Pack operator/(const Pack& a, const Pack& b) {
    if constexpr (requires { R::rough_reciprocal(a.vector); }) {
      return detail::quotient(a, b, Pack(R::rough_reciprocal(b.vector)));
    } else {
      return Vector(a.vector / b.vector);
    }
  }
  friend KALABA_FN Pack operator-(const Pack& a) { return Vector(-a.vector); }
  friend KALABA_FN Mask operator<(const Pack& a, const Pack& b) { return {R::less(a.vector, b.vector)}; }
  friend KALABA_FN Mask operator<=(const Pack& a, const Pack& b) { return {R::less_equal(a.vector, b.vector)}; }
  friend KALABA_FN Mask operator>(const Pack& a, const Pack& b) { return {R::less(b.vector, a.vector)}; }
  friend KALABA_FN Mask operator>=(const Pack& a, const Pack& b) { return {R::less_equal(b.vector, a.vector)}; }
  friend KALABA_FN Mask operator==(const Pack& a, const Pack& b) { return {R::equal(a.vector, b.vector)}; }
  friend KALABA_FN Mask operator!=(const Pack& a, const Pack& b) { return {R::unequal(a.vector, b.vector)}; }
  friend KALABA_FN Pack select(const Mask& mask, const Pack& a, const Pack& b) {
    return R::select(mask.mask, a.vector, b.vector);
  }
  friend KALABA_FN Pack fma(const Pack& a, const Pack& b, const Pack& c) {
    return detail::fused<R>(a.vector, b.vector, c.vector);
  }
  friend KALABA_FN Pack abs(const Pack& a) { return R::magnitude(a.vector); }
  friend KALABA_FN Pack sqrt(const Pack& a) { return detail::root<R>(a.vector); }
  friend KALABA_FN Pack rsqrt(const Pack& a) {
    if constexpr (requires { R::rough_root(a.vector); }) {
      return detail::refined_root(a, Pack(R::rough_root(a.vector)));
    } else {
      return Vector(Pack(1).vector / sqrt(a).vector);
    }
  }
  friend KALABA_FN Pack sin(const Pack& a) { return by(mathematics<T>.sin, a); }
  friend KALABA_FN Pack cos(const Pack& a) { return by(mathematics<T>.cos, a); }
  friend KALABA_FN Pack tan(const Pack& a) { return by(mathematics<T>.tan, a); }
  friend KALABA_FN Pack asin(const Pack& a) { return by(mathematics<T>.asin, a); }
  friend KALABA_FN Pack acos(const Pack& a) { return by(mathematics<T>.acos, a); }
  friend KALABA_FN Pack atan(const Pack& a) { return by(mathematics<T>.atan, a); }
  friend KALABA_FN Pack exp(const Pack& a) { return by(mathematics<T>.exp, a); }
  friend KALABA_FN Pack log(const Pack& a) { return by(mathematics<T>.log, a); }
  friend KALABA_FN Pack tanh(const Pack& a) { return by(mathematics<T>.tanh, a); }
  friend KALABA_FN Pack pow(const Pack& a, const Pack& b) { return by(mathematics<T>.pow, a, b); }
  friend KALABA_FN Pack atan2(const Pack& y, const Pack& x) { return by(mathematics<T>.atan2, y, x); }

 private:
  template <class Function, class... Packs>
  KALABA_FN static Pack by(const Function& function, const Packs&... arguments) {
    Pack result;
    function(reinterpret_cast<const T*>(&arguments.vector)..., reinterpret_cast<T*>(&result.vector));
    return result;
  }
};

template <class T, int Lanes>
struct ScalarOf<Pack<T, Lanes>> {
  using type = T;
};

}  // namespace kalaba
