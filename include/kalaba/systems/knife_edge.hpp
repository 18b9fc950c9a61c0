#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A spinning knife edge on an incline: it drifts sideways and does not slide down.
struct KnifeEdge {
  static constexpr const char* name = "knife_edge";
  static constexpr const char* summary = "spinning knife edge on an incline, closed form";
  static constexpr const char* source = "Bloch, Nonholonomic Mechanics and Control, section 1.6";
  static constexpr const char* equations =
      "L = m (x'^2 + y'^2) / 2 + J phi'^2 / 2 + m g x sin alpha\n"
      "psi = x' sin phi - y' cos phi = 0\n"
      "From rest at 0 with phi' = w: x = k sin^2(w t), y = k (w t - sin(2 w t) / 2), k = g sin alpha / (2 w^2)";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass"},
                                            {"J", "kg m^2", 0.5, "moment of inertia"},
                                            {"alpha", "rad", 0.5, "slope of the plane"},
                                            {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {
      {"x", "m", 0, "down the slope"}, {"y", "m", 0, "across the slope"}, {"phi", "rad", 0, "edge from x"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}, {"phi_dot", "rad/s"}};
  static constexpr Quantity nonholonomic[] = {{"edge", "m/s", 0, "no slip across the edge"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Invariant invariants[] = {{"spin", "rad/s", Invariance::constant, "phi'"}};

  template <class X>
  struct Constants {
    X m, J, pull;  ///< pull: gravity along the slope
  };

  template <class X>
  KALABA_FN static Constants<X> prepare(const Vec<X, 4>& p) {
    const auto& [m, J, alpha, g] = p.data;
    return {m, J, m * g * sin(alpha)};
  }

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    for (int i = 0; i < 3; ++i) {
      q[i] = 0.0;
      w[i] = 0.0;
    }
    w[2] = spin;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(p.m), X(p.m), X(p.J)}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(p.pull), X(0.0), X(0.0)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {w[0] * sin(q[2]) - w[1] * cos(q[2])};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return (w[0] * w[0] + w[1] * w[1]) * (0.5 * p.m) + w[2] * w[2] * (0.5 * p.J) - q[0] * p.pull;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return {w[2]};
  }

  template <class P, class X, class Q, class W>
  KALABA_FN static void closed_form(const P& p, const X& t, Q& q, W& w) {
    const auto& [m, J, alpha, g] = p.data;
    const auto size = g * sin(alpha) / (2.0 * spin * spin);
    const auto phi = spin * t;
    const auto s = sin(phi);
    const auto c = cos(phi);
    q[0] = size * s * s;
    q[1] = size * (phi - s * c);
    q[2] = phi;
    w[0] = 2.0 * size * spin * s * c;
    w[1] = 2.0 * size * spin * s * s;
    w[2] = spin;
  }

 private:
  static constexpr double spin = 1.5;  // rad/s, of the default start
};

}  // namespace kalaba
