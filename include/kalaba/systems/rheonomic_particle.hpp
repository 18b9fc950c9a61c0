#pragma once

#include "kalaba/systems/scleronomic_particle.hpp"

namespace kalaba {

/// The scleronomic particle with its surface moving: x' + 2 y y' + z' = 1 [ZCZD example 3].
struct RheonomicParticle : ScleronomicParticle {
  static constexpr const char* name = "rheonomic_particle";
  static constexpr const char* summary = "particle on the moving surface x + y^2 + z - t = const";
  static constexpr const char* source = "Zhao, Chen, Zhao, Dong 2018, example 3 (eq. 14, 15)";
  static constexpr const char* equations =
      "m q'' = f, a constant force\n"
      "psi = x' + 2 y y' + z' - 1 = 0\n"
      "A = [1, 2y, 1], b = -2 y'^2";
  static constexpr Invariant invariants[] = {
      {"integral", "m", Invariance::constant, "x + y^2 + z - t"},
      {"slide", "m/s", Invariance::constant,
       "x' - z' - (fx - fz) t / m: the constraint force has equal x and z parts"}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    ScleronomicParticle::start(p, q, w);
    w[2] = 0.4;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {w[0] + q[1] * w[1] * 2.0 + w[2] - 1.0};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P& p, const X& t, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {q[0] + q[1] * q[1] + q[2] - t, slide(p, t, w)};
  }
};

}  // namespace kalaba
