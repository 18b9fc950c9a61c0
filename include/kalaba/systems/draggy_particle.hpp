#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A free particle with y' = z x' and a drag in its constraint force: C = -c |v| v [UK02].
struct DraggyParticle {
  static constexpr const char* name = "draggy_particle";
  static constexpr const char* summary = "nonholonomic constraint y' = z x' whose force does work, -c |v|^3";
  static constexpr const char* source = "Udwadia, Kalaba 2002 (eq. 29-32)";
  static constexpr const char* equations =
      "m q'' = Qci + Qcni\n"
      "psi = y' - z x' = 0, so that A = [-z, 1, 0] and b = x' z'\n"
      "C = -c |v| v\n"
      "v is a virtual displacement, so that m |v|' = -c |v|^2 and the path is the one without drag.";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass"}, {"c", "kg/m", 0.2, "drag"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"z", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}, {"z_dot", "m/s"}};
  static constexpr Quantity nonholonomic[] = {{"slope", "m/s", 0, "the slope of the path in x, y is z (in m)"}};
  static constexpr TimeGrid time = {.end = 3, .dt = 1e-3, .save_every = 30};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = 0.0;
    q[2] = 1.0;
    w[0] = 1.0;
    w[1] = 1.0;
    w[2] = -0.5;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(p[0]), X(p[0]), X(p[0])}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(0.0), X(0.0), X(0.0)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {w[1] - q[2] * w[0]};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> non_ideal(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w, const Vec<X, 3>&) {
    const X drag = sqrt(dot(w, w)) * -p[1];
    return {w[0] * drag, w[1] * drag, w[2] * drag};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return dot(w, w) * (0.5 * p[0]);
  }

  /// With s the path length, dz/ds and the ratio of horizontal speed to |v| keep their initial values.
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    const auto& [m, c] = p.data;
    start(p, q, w);
    const auto v0 = sqrt(dot(w, w));
    const auto slower = 1.0 + c * v0 * t / m;
    const auto rise = w[2] / v0;
    const auto level = sqrt(1.0 - rise * rise);
    const auto z0 = q[2];
    const auto z = z0 + rise * (m / c) * log(slower);
    const auto root0 = sqrt(1.0 + z0 * z0);
    const auto root = sqrt(1.0 + z * z);
    const auto v = v0 / slower;
    q[0] += level / rise * log((z + root) / (z0 + root0));
    q[1] += level / rise * (root - root0);
    q[2] = z;
    w[0] = v * level / root;
    w[1] = v * level * z / root;
    w[2] = v * rise;
  }
};

}  // namespace kalaba
