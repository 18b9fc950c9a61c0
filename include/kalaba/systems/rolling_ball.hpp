#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A solid ball that rolls on an incline without slipping, in quasi-velocities.
struct RollingBall {
  static constexpr const char* name = "rolling_ball";
  static constexpr const char* summary = "solid ball rolling on an incline, quasi-velocity (Kane) form";
  static constexpr const char* source = "Bajodah, Chen 2018 (Kane's form); textbook";
  static constexpr const char* equations =
      "Theta = diag(m, m, I, I, I), I = 2 m R^2 / 5\n"
      "F - L = (m g sin slope, 0, 0, 0, 0)\n"
      "psi1 = vx - R wy = 0,  psi2 = vy + R wx = 0\n"
      "x'' = 5/7 g sin slope, y'' = 0";
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass"},
                                            {"R", "m", 0.2, "radius"},
                                            {"slope", "rad", 0.3, "slope of the plane"},
                                            {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x", "m", 0, "down the slope"}, {"y", "m", 0, "across it"}};
  static constexpr Quantity rates[] = {
      {"vx", "m/s"}, {"vy", "m/s"}, {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s", 0, "about the plane's normal"}};
  static constexpr Quantity nonholonomic[] = {{"slip_x", "m/s", 0, "the ball's contact point is at rest"},
                                              {"slip_y", "m/s", 0, "the ball's contact point is at rest"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 2, .dt = 1e-3, .save_every = 20};

  template <class X>
  struct Constants {
    X m;
    X R;
    X I;     ///< kg m^2
    X pull;  ///< m g sin slope
  };
  template <class X>
  KALABA_FN static Constants<X> prepare(const Vec<X, 4>& p) {
    const auto& [m, R, slope, g] = p.data;
    return {m, R, m * R * R * X(0.4), m * g * sin(slope)};
  }

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& R = p[1];
    q[0] = 0.0;
    q[1] = 0.0;
    w[0] = 1.0;
    w[1] = 0.5;
    w[2] = -0.5 / R;
    w[3] = 1.0 / R;
    w[4] = 2.0;
  }

  template <class C, class X>
  KALABA_FN static auto metric(const C& c, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 5>{{X(c.m), X(c.m), X(c.I), X(c.I), X(c.I)}};
  }

  template <class C, class X>
  KALABA_FN static Vec<X, 5> force(const C& c, const X&, const Vec<X, 2>&, const Vec<X, 5>&) {
    return {X(c.pull), X(0.0), X(0.0), X(0.0), X(0.0)};
  }

  template <class C, class X>
  KALABA_FN static Vec<X, 2> velocity(const C&, const X&, const Vec<X, 2>&, const Vec<X, 5>& u) {
    return {u[0], u[1]};
  }

  template <class C, class X>
  KALABA_FN static Vec<X, 2> psi(const C& c, const X&, const Vec<X, 2>&, const Vec<X, 5>& u) {
    return {u[0] - u[3] * c.R, u[1] + u[2] * c.R};
  }

  template <class C, class X>
  KALABA_FN static X energy(const C& c, const X&, const Vec<X, 2>& q, const Vec<X, 5>& u) {
    const X sliding = (u[0] * u[0] + u[1] * u[1]) * (c.m * 0.5);
    const X turning = (u[2] * u[2] + u[3] * u[3] + u[4] * u[4]) * (c.I * 0.5);
    return sliding + turning - q[0] * c.pull;
  }

  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    const auto& [m, R, slope, g] = p.data;
    start(p, q, w);
    const auto gained = 5.0 / 7.0 * g * sin(slope) * t;
    q[0] = (w[0] + 0.5 * gained) * t;
    q[1] = w[1] * t;
    w[0] += gained;
    w[3] += gained / R;
  }
};

}  // namespace kalaba
