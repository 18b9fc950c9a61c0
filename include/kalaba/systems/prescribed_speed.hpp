#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A particle under gravity whose speed is a given function of time (Golubev, Jankowski) [RH section 5].
struct PrescribedSpeed {
  static constexpr const char* name = "prescribed_speed";
  static constexpr const char* summary = "particle under gravity with a prescribed speed v(t)";
  static constexpr const char* source = "Roithmayr, Hodges, section 5; Golubev; Jankowski";
  static constexpr const char* equations =
      "v(t) = v0 + v1 sin t\n"
      "psi = (|v|^2 - v(t)^2) / 2 = 0, so that the force acts along v";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.5, "mass"},
                                            {"g", "m/s^2", 9.81, "gravity"},
                                            {"v0", "m/s", 1.0, "mean speed"},
                                            {"v1", "m/s", 0.3, "amplitude of the speed, below v0"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m", 0, "up"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity nonholonomic[] = {{"speed", "m^2/s^2", 0, "the speed stays v(t)"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1e-3, .save_every = 25};
  static constexpr Invariant invariants[] = {{"speed_error", "m/s", Invariance::zero, "|v| - v(t)"}};
  static constexpr Figure figures[] = {
      {2, "x", 0.28184957}, {2, "y", -2.1773323}, {2, "x_dot", 6.48183e-7}, {2, "y_dot", -1.27278923}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [m, g, v0, v1] = p.data;
    q[0] = 0.0;
    q[1] = 0.0;
    w[0] = v0 * 0.6;
    w[1] = v0 * 0.8;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    const X m(p[0]);
    return Diagonal<X, 2>{{m, m}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    const auto& [m, g, v0, v1] = p.data;
    return {X(0.0), X(-m * g)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P& p, const X& t, const Vec<X, 2>&, const Vec<X, 2>& w) {
    const X speed = prescribed(p, t);
    return {(dot(w, w) - speed * speed) * 0.5};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const auto& [m, g, v0, v1] = p.data;
    return dot(w, w) * (0.5 * m) + q[1] * (m * g);
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P& p, const X& t, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {sqrt(dot(w, w)) - prescribed(p, t)};
  }

 private:
  template <class P, class X>
  KALABA_FN static X prescribed(const P& p, const X& t) {
    return p[2] + p[3] * sin(t);
  }
};

}  // namespace kalaba
