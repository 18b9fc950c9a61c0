#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Two pucks on a smooth table, each under a constant force: the common part of systems with constraints on their
/// velocities [RH].
struct TwoPucks {
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"m1", "kg", 1.0, "mass of the first puck"},    {"m2", "kg", 2.0, "mass of the second puck"},
      {"f1x", "N", 1.0, "force on the first puck"},   {"f1y", "N", 0.2},
      {"f2x", "N", -0.5, "force on the second puck"}, {"f2y", "N", 1.0}};
  static constexpr Quantity coordinates[] = {{"x1", "m"}, {"y1", "m"}, {"x2", "m"}, {"y2", "m"}};
  static constexpr Quantity rates[] = {{"x1_dot", "m/s"}, {"y1_dot", "m/s"}, {"x2_dot", "m/s"}, {"y2_dot", "m/s"}};

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 4>&) {
    const auto& [m1, m2, f1x, f1y, f2x, f2y] = p.data;
    return Diagonal<X, 4>{{X(m1), X(m1), X(m2), X(m2)}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 4> force(const P& p, const X&, const Vec<X, 4>&, const Vec<X, 4>&) {
    const auto& [m1, m2, f1x, f1y, f2x, f2y] = p.data;
    return {X(f1x), X(f1y), X(f2x), X(f2y)};
  }

  /// Kinetic energy minus the work of the two forces. Constant, because every psi here is homogeneous in the
  /// velocities.
  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    const auto& [m1, m2, f1x, f1y, f2x, f2y] = p.data;
    const X kinetic = first_squared(w) * (0.5 * m1) + second_squared(w) * (0.5 * m2);
    return kinetic - (q[0] * f1x + q[1] * f1y + q[2] * f2x + q[3] * f2y);
  }

  template <class X>
  KALABA_FN static X first_squared(const Vec<X, 4>& w) {
    return w[0] * w[0] + w[1] * w[1];
  }

  template <class X>
  KALABA_FN static X second_squared(const Vec<X, 4>& w) {
    return w[2] * w[2] + w[3] * w[3];
  }
};

}  // namespace kalaba
