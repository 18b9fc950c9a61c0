#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A thin disk that rolls on a level plane without slipping, in quasi-velocities along its own axes:
/// t horizontal and forward, a along the axle (to the left), u in the disk's plane from the contact to the centre.
/// The height of the centre is R cos lean and needs no coordinate.
struct RollingDisk {
  static constexpr const char* name = "rolling_disk";
  static constexpr const char* summary = "thin disk rolling on a plane, quasi-velocity (Kane) form; steady circle";
  static constexpr const char* source = "textbook; Bajodah, Chen 2018 (Kane's form)";
  static constexpr const char* equations =
      "Theta = diag(m, m, m, I, J, I), I = m R^2 / 4 about a diameter, J = m R^2 / 2 about the axle\n"
      "Omega = (w_t, w_u tan lean, w_u) turns the axes; v and w are the centre's velocity and the disk's spin in them\n"
      "F - L = (-m Omega x v - m g (0, sin lean, cos lean), -Omega x (I w_t, J w_a, I w_u))\n"
      "psi = (v_t - R w_a, v_a + R w_t, v_u) = 0: the contact point of the disk is at rest\n"
      "Steady circle: 3/2 w_a w_u - 1/4 w_u^2 tan lean + (g / R) sin lean = 0, w_t = 0";
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass"}, {"R", "m", 0.3, "radius"}, {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x", "m", 0, "of the centre"},
                                             {"y", "m", 0, "of the centre"},
                                             {"heading", "rad", 0, "of the direction of rolling, from x to y"},
                                             {"lean", "rad", 0, "from upright, to the right of the heading"},
                                             {"roll", "rad", 0, "about the axle, from the contact"}};
  static constexpr Quantity rates[] = {{"v_t", "m/s"},   {"v_a", "m/s"},   {"v_u", "m/s"},
                                       {"w_t", "rad/s"}, {"w_a", "rad/s"}, {"w_u", "rad/s"}};
  static constexpr Quantity nonholonomic[] = {{"slip_t", "m/s", 0, "no slip forward"},
                                              {"slip_a", "m/s", 0, "no slip along the axle"},
                                              {"slip_u", "m/s", 0, "the disk stays on the plane"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    closed_form(p, 0.0, q, w);
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 5>&) {
    const auto& [m, R, g] = p.data;
    const auto I = m * R * R * 0.25;
    return Diagonal<X, 6>{{X(m), X(m), X(m), X(I), X(I * 2.0), X(I)}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 6> force(const P& p, const X&, const Vec<X, 5>& q, const Vec<X, 6>& u) {
    const auto& [m, R, g] = p.data;
    const X I(m * R * R * 0.25);
    const X s = sin(q[3]);
    const X c = cos(q[3]);
    const Vec<X, 3> turn{u[3], u[5] * (s / c), u[5]};
    const Vec<X, 3> bent = cross(turn, {u[0], u[1], u[2]});
    const Vec<X, 3> gyration = cross(turn, {u[3], u[4] + u[4], u[5]});  // over I
    return {-bent[0] * m,     -(bent[1] + s * g) * m, -(bent[2] + c * g) * m,
            -gyration[0] * I, -gyration[1] * I,       -gyration[2] * I};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 5> velocity(const P&, const X&, const Vec<X, 5>& q, const Vec<X, 6>& u) {
    const X cos_heading = cos(q[2]);
    const X sin_heading = sin(q[2]);
    const X s = sin(q[3]);
    const X c = cos(q[3]);
    const X leftward = u[1] * c - u[2] * s;
    const X heading_rate = u[5] / c;
    return {u[0] * cos_heading - leftward * sin_heading, u[0] * sin_heading + leftward * cos_heading, heading_rate,
            u[3], u[4] - heading_rate * s};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> psi(const P& p, const X&, const Vec<X, 5>&, const Vec<X, 6>& u) {
    return {u[0] - u[4] * p[1], u[1] + u[3] * p[1], u[2]};
  }

  /// False if the disk lies flat: heading and roll are then undefined, and the whole rim is in contact.
  template <class P, class X>
  KALABA_FN static auto valid(const P&, const X&, const Vec<X, 5>& q, const Vec<X, 6>&) {
    return X(0.0) < cos(q[3]);
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 5>& q, const Vec<X, 6>& u) {
    const auto& [m, R, g] = p.data;
    const X sliding = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (m * 0.5);
    const X turning = (u[3] * u[3] + u[4] * u[4] * 2.0 + u[5] * u[5]) * (m * R * R * 0.125);
    return sliding + turning + cos(q[3]) * (m * g * R);
  }

  /// Steady rolling on a circle to the left of the initial direction.
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    const auto& [m, R, g] = p.data;
    constexpr double lean = -0.3;
    constexpr double heading_rate = 1.5;
    const auto w_u = heading_rate * cos(lean);
    const auto w_a = (0.25 * w_u * w_u * tan(lean) - g / R * sin(lean)) / (1.5 * w_u);
    const auto circle = R * w_a / heading_rate;
    q[0] = circle * sin(heading_rate * t);
    q[1] = circle * (1.0 - cos(heading_rate * t));
    q[2] = heading_rate * t;
    q[3] = lean;
    q[4] = (w_a - heading_rate * sin(lean)) * t;
    w[0] = R * w_a;
    w[1] = 0.0;
    w[2] = 0.0;
    w[3] = 0.0;
    w[4] = w_a;
    w[5] = w_u;
  }

 private:
  template <class X>
  KALABA_FN static Vec<X, 3> cross(const Vec<X, 3>& a, const Vec<X, 3>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
};

}  // namespace kalaba
