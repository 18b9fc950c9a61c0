#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A rod balanced by the motion of its lower end: a servo-constraint satisfied by one actuator [RH section 2; Marle].
struct BalancedRod {
  static constexpr const char* name = "balanced_rod";
  static constexpr const char* summary = "rod balanced upright by a force on its foot, a servo-constraint";
  static constexpr const char* source = "Roithmayr, Hodges, section 2; Marle's servomechanism";
  static constexpr const char* equations =
      "M = [[m, m l cos theta], [m l cos theta, I + m l^2]],  I = m l^2 / 3\n"
      "Q = (m l theta'^2 sin theta, m g l sin theta)\n"
      "theta'' = -2 zeta k theta' - k^2 theta: phi = theta with the feedback 2 zeta k, k^2\n"
      "Q^c = S (A M^-1 S)+ (b - A a), S = (1, 0): a horizontal force on the foot";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass of the rod"},
                                            {"l", "m", 0.5, "half its length"},
                                            {"g", "m/s^2", 9.81, "gravity"},
                                            {"k", "rad/s", 3.0, "frequency of the balancing"},
                                            {"zeta", "1", 1.0, "its damping"}};
  static constexpr Quantity coordinates[] = {{"x", "m", 0, "of the foot"}, {"theta", "rad", 0, "from the vertical"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"theta_dot", "rad/s"}};
  static constexpr Quantity holonomic[] = {{"upright", "rad", 0, "theta is brought to zero"}};
  static constexpr TimeGrid time = {.end = 3, .dt = 1e-3, .save_every = 30};
  static constexpr Stabilization stabilization = Stabilization::none();
  static constexpr int actuators = 1;
  // 0.4 e^(-k t) (1 + k t) at critical damping.
  static constexpr Figure figures[] = {{1, "theta", 0.079659309388457704}, {3, "theta", 0.00049363921634669796}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = 0.4;
    w[0] = 0.0;
    w[1] = 0.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>& q) {
    const auto& [m, l, g, k, zeta] = p.data;
    const X coupling = cos(q[1]) * (m * l);
    return Symmetric<X, 2>{{X(m), coupling, coupling, X(m * l * l * (4.0 / 3.0))}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const auto& [m, l, g, k, zeta] = p.data;
    const X s = sin(q[1]) * (m * l);
    return {s * w[1] * w[1], s * g};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X&, const Vec<X, 2>& q) {
    return {q[1]};
  }

  template <class P, class X>
  KALABA_FN static Mat<X, 2, 1> actuation(const P&, const X&, const Vec<X, 2>&) {
    return {{X(1.0), X(0.0)}};
  }

  template <class P>
  KALABA_FN static auto gain(const P& p) {
    return p[4] * p[3] * 2.0;
  }
  template <class P>
  KALABA_FN static auto position_gain(const P& p) {
    return p[3] * p[3];
  }

  /// When the rod is level with the foot, no horizontal force turns it.
  template <class P, class X>
  KALABA_FN static auto valid(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>&) {
    return cos(q[1]) > X(1e-3);
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const auto& [m, l, g, k, zeta] = p.data;
    const X kinetic =
        w[0] * w[0] * (0.5 * m) + cos(q[1]) * w[0] * w[1] * (m * l) + w[1] * w[1] * (m * l * l * (2.0 / 3.0));
    return kinetic + cos(q[1]) * (m * g * l);
  }
};

}  // namespace kalaba
