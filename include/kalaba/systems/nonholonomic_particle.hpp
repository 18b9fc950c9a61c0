#pragma once

#include "kalaba/systems/scleronomic_particle.hpp"

namespace kalaba {

/// The scleronomic particle with 2 z in place of 2 y: the constraint is then not integrable [ZCZD example 4].
struct NonholonomicParticle : ScleronomicParticle {
  static constexpr const char* name = "nonholonomic_particle";
  static constexpr const char* summary = "particle with x' + 2 z y' + z' = 0, which has no integral";
  static constexpr const char* source = "Zhao, Chen, Zhao, Dong 2018, example 4 (eq. 16, 17)";
  static constexpr const char* equations =
      "m q'' = f, a constant force\n"
      "psi = x' + 2 z y' + z' = 0\n"
      "A = [1, 2z, 1], b = -2 y' z'";
  static constexpr Quantity nonholonomic[] = {{"plane", "m/s", 0, "the velocity stays in a plane that turns with z"}};
  static constexpr Invariant invariants[] = {
      {"slide", "m/s", Invariance::constant,
       "x' - z' - (fx - fz) t / m: the constraint force has equal x and z parts"}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    ScleronomicParticle::start(p, q, w);
    w[2] = -0.3;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {w[0] + q[2] * w[1] * 2.0 + w[2]};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P& p, const X& t, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return {slide(p, t, w)};
  }
};

}  // namespace kalaba
