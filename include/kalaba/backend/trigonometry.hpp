#pragma once

#include <cmath>
#include "kalaba/backend/simd.hpp"

#include "kalaba/backend/register_arithmetic.hpp"

namespace kalaba::detail {

// sin, cos and tan of a register, each lane separately. (xsimd reduces all angles of a register by the method that the
// largest angle needs, so the last bit of a lane would depend on its neighbours.)

template <class T>
struct QuarterTurn;  // pi/2 in three parts whose sum has three times the precision

template <>
struct QuarterTurn<double> {
  static constexpr double parts[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
};
template <>
struct QuarterTurn<float> {
  static constexpr float parts[3] = {0x1.921fb6p+0F, -0x1.777a5cp-25F, -0x1.ee59dap-50F};
};

/// Larger angles (rad), infinities and NaN are computed by the C library.
inline constexpr double largest_reduced_angle = 1000;

template <class B>
struct SineCosine {
  B sine;
  B cosine;
};

/// Computes sine and cosine of angles up to largest_reduced_angle in magnitude.
template <class B>
KALABA_FN SineCosine<B> reduced_sine_cosine(const B& angle) {
  using T = typename B::value_type;
  using Turn = QuarterTurn<T>;
  const B turns = xsimd::nearbyint(angle * B(T(0.63661977236758134308)));
  B rest = angle;
  for (const T part : Turn::parts) rest = fused(-turns, B(part), rest);
  const auto [s, c] = xsimd::sincos(rest);
  const B pairs = xsimd::floor(turns * B(T(0.5)));
  const auto odd = fused(pairs, B(T(-2)), turns) == B(T(1));
  const auto opposite = fused(xsimd::floor(pairs * B(T(0.5))), B(T(-2)), pairs) == B(T(1));
  const B sine = xsimd::select(odd, c, s);
  const B cosine = xsimd::select(odd, -s, c);
  return {xsimd::select(opposite, -sine, sine), xsimd::select(opposite, -cosine, cosine)};
}

/// Returns reduced(angle) for small angles, and `exact` of the lane's angle for the others.
template <class B, class Reduced, class Exact>
KALABA_FN B lane_by_lane(const B& angle, const Reduced& reduced, const Exact& exact) {
  using T = typename B::value_type;
  const auto small = xsimd::abs(angle) <= B(T(largest_reduced_angle));
  const B result = reduced(reduced_sine_cosine(xsimd::select(small, angle, B(T(0)))));
  if (xsimd::all(small)) return result;
  T angles[B::size];
  T results[B::size];
  angle.store_unaligned(angles);
  result.store_unaligned(results);
  for (std::size_t i = 0; i < B::size; ++i) {
    if (!(std::abs(angles[i]) <= T(largest_reduced_angle))) results[i] = exact(angles[i]);
  }
  return B::load_unaligned(results);
}

template <class B>
KALABA_FN B sine(const B& angle) {
  return lane_by_lane(
      angle, [](const SineCosine<B>& x) KALABA_LAMBDA { return x.sine; }, [](auto x) { return std::sin(x); });
}
template <class B>
KALABA_FN B cosine(const B& angle) {
  return lane_by_lane(
      angle, [](const SineCosine<B>& x) KALABA_LAMBDA { return x.cosine; }, [](auto x) { return std::cos(x); });
}
template <class B>
KALABA_FN B tangent(const B& angle) {
  return lane_by_lane(
      angle, [](const SineCosine<B>& x) KALABA_LAMBDA { return x.sine / x.cosine; },
      [](auto x) { return std::tan(x); });
}

// Computed by the C library, lane by lane: xsimd's logarithm and power do not compile for AVX-512 without optimization.
template <class B, class Function>
KALABA_FN B each_lane(const B& x, const Function& function) {
  typename B::value_type lanes[B::size];
  x.store_unaligned(lanes);
  for (auto& lane : lanes) lane = function(lane);
  return B::load_unaligned(lanes);
}
template <class B>
KALABA_FN B logarithm(const B& x) {
  return each_lane(x, [](auto lane) { return std::log(lane); });
}
template <class B>
KALABA_FN B arc_sine(const B& x) {
  return each_lane(x, [](auto lane) { return std::asin(lane); });
}
template <class B>
KALABA_FN B arc_cosine(const B& x) {
  return each_lane(x, [](auto lane) { return std::acos(lane); });
}
template <class B>
KALABA_FN B arc_tangent(const B& x) {
  return each_lane(x, [](auto lane) { return std::atan(lane); });
}
template <class B>
KALABA_FN B to_power(const B& x, const B& exponent) {
  typename B::value_type lanes[B::size];
  typename B::value_type exponents[B::size];
  x.store_unaligned(lanes);
  exponent.store_unaligned(exponents);
  for (std::size_t i = 0; i < B::size; ++i) lanes[i] = std::pow(lanes[i], exponents[i]);
  return B::load_unaligned(lanes);
}

}  // namespace kalaba::detail
