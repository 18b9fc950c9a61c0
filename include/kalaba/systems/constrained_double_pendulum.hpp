#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A double pendulum with the constraint p1 = alpha p2 sin(omega t) on its momenta [U16 section 4.4].
struct ConstrainedDoublePendulum {
  static constexpr const char* name = "constrained_double_pendulum";
  static constexpr const char* summary = "double pendulum, its momenta in a prescribed ratio, Hamiltonian form";
  static constexpr const char* source = "Udwadia 2016, section 4.4 (eq. 67-76)";
  static constexpr const char* equations =
      "H = T - m1 g l1 cos theta1 - m2 g (l1 cos theta1 + l2 cos theta2),  d = theta1 - theta2\n"
      "T = [(m1 + m2) l1^2 p2^2 + m2 l2^2 p1^2 - 2 m2 l1 l2 p1 p2 cos d] / (2 m2 l1^2 l2^2 Delta)\n"
      "Delta = m1 + m2 sin^2 d\n"
      "psi = p1 - alpha p2 sin(omega t) = 0\n"
      "A_p = [1, -alpha sin(omega t)], b_p = alpha omega cos(omega t) p2";
  static constexpr Formulation formulation = Formulation::hamilton;
  static constexpr Quantity parameters[] = {{"m1", "kg", 1.0, "mass of the upper bob"},
                                            {"m2", "kg", 0.7, "mass of the lower bob"},
                                            {"l1", "m", 1.0, "length of the upper arm"},
                                            {"l2", "m", 0.8, "length of the lower arm"},
                                            {"alpha", "1", 0.5, "largest ratio of the momenta"},
                                            {"omega", "rad/s", 2.0, "frequency of the ratio"},
                                            {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"theta1", "rad", 0, "upper arm from the vertical"},
                                             {"theta2", "rad", 0, "lower arm from the vertical"}};
  static constexpr Quantity rates[] = {{"p_theta1", "kg m^2/s"}, {"p_theta2", "kg m^2/s"}};
  static constexpr Quantity nonholonomic[] = {{"ratio", "kg m^2/s", 0, "p_theta1 stays alpha sin(omega t) p_theta2"}};
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Figure figures[] = {
      {5, "theta1", 0.35800787}, {5, "theta2", 0.14753206}, {5, "p_theta1", -0.28077533}, {5, "p_theta2", 1.03222218}};

  /// H_pp = [[upper, -cross cos d], [-cross cos d, lower]] / Delta; gravity contributes weight1 and weight2 times a
  /// sine.
  template <class X>
  struct Constants {
    X m1, m2, alpha, omega, upper, cross, lower, weight1, weight2;
  };

  template <class X>
  KALABA_FN static Constants<X> prepare(const Vec<X, 7>& p) {
    const auto& [m1, m2, l1, l2, alpha, omega, g] = p.data;
    const X both = m1 + m2;
    const X upper = 1.0 / (l1 * l1);
    const X cross = 1.0 / (l1 * l2);
    const X lower = both / (m2 * l2 * l2);
    return {m1, m2, alpha, omega, upper, cross, lower, both * g * l1, m2 * g * l2};
  }

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.6;
    q[1] = -0.4;
    w[0] = 0.0;
    w[1] = 0.3;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>& q) {
    const X s = sin(q[0] - q[1]);
    const X scale = 1.0 / (p.m1 + p.m2 * s * s);
    const X coupling = -p.cross * cos(q[0] - q[1]) * scale;
    return Symmetric<X, 2>{{p.upper * scale, coupling, coupling, p.lower * scale}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X s = sin(q[0] - q[1]);
    const X c = cos(q[0] - q[1]);
    const X scale = 1.0 / (p.m1 + p.m2 * s * s);
    const X cross = p.cross * w[0] * w[1];
    const X twice_kinetic = (p.upper * w[0] * w[0] - 2.0 * c * cross + p.lower * w[1] * w[1]) * scale;
    const X sigma = (p.m2 * twice_kinetic * c - cross) * s * scale;
    return {sigma - p.weight1 * sin(q[0]), -sigma - p.weight2 * sin(q[1])};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> velocity(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X s = sin(q[0] - q[1]);
    const X c = cos(q[0] - q[1]);
    const X scale = 1.0 / (p.m1 + p.m2 * s * s);
    return {(p.upper * w[0] - p.cross * c * w[1]) * scale, (p.lower * w[1] - p.cross * c * w[0]) * scale};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P& p, const X& t, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {w[0] - p.alpha * sin(p.omega * t) * w[1]};
  }

  /// Constant although psi depends on time: psi is linear in p, so the power of the constraint force is lambda psi.
  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return dot(w, velocity(p, t, q, w)) * 0.5 - p.weight1 * cos(q[0]) - p.weight2 * cos(q[1]);
  }
};

}  // namespace kalaba
