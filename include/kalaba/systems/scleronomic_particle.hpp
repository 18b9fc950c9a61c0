#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A particle under a constant force with x' + 2 y y' + z' = 0, which is integrable [ZCZD example 2].
struct ScleronomicParticle {
  static constexpr const char* name = "scleronomic_particle";
  static constexpr const char* summary = "particle on the surface x + y^2 + z = const, stated by its velocity";
  static constexpr const char* source = "Zhao, Chen, Zhao, Dong 2018, example 2 (eq. 12, 13)";
  static constexpr const char* equations =
      "m q'' = f, a constant force\n"
      "psi = x' + 2 y y' + z' = 0\n"
      "A = [1, 2y, 1], b = -2 y'^2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass"},
                                            {"fx", "N", 0.3, "given force"},
                                            {"fy", "N", -0.2, "given force"},
                                            {"fz", "N", 0.1, "given force"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"z", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}, {"z_dot", "m/s"}};
  static constexpr Quantity nonholonomic[] = {{"surface", "m/s", 0, "the velocity stays in the surface"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1e-3, .save_every = 20};
  static constexpr Invariant invariants[] = {
      {"integral", "m", Invariance::constant, "x + y^2 + z"},
      {"slide", "m/s", Invariance::constant,
       "x' - z' - (fx - fz) t / m: the constraint force has equal x and z parts"}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.5;
    q[1] = 0.4;
    q[2] = 0.1;
    w[0] = 0.2;
    w[1] = 0.5;
    w[2] = -0.6;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(p[0]), X(p[0]), X(p[0])}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(p[1]), X(p[2]), X(p[3])};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {w[0] + q[1] * w[1] * 2.0 + w[2]};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    const auto& [m, fx, fy, fz] = p.data;
    return dot(w, w) * (0.5 * m) - (q[0] * fx + q[1] * fy + q[2] * fz);
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P& p, const X& t, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {q[0] + q[1] * q[1] + q[2], slide(p, t, w)};
  }

 protected:
  template <class P, class X>
  KALABA_FN static X slide(const P& p, const X& t, const Vec<X, 3>& w) {
    const auto& [m, fx, fy, fz] = p.data;
    return w[0] - w[2] - t * ((fx - fz) / m);
  }
};

}  // namespace kalaba
