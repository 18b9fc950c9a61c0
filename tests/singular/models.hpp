#pragma once

#include "kalaba/core/model/model.hpp"

// Linkages driven through a singular position at a known time, with their motion in closed form. `phase`: the drive's
// angle at t = 0.

namespace kalaba::test {

/// Rod of length L from a driven crank pin, of radius L too, to a rail: the row "across" vanishes at a quarter turn,
/// and no coordinate is free. b = -angle, s = 2 L cos(angle).
struct DrivenRod {
  static constexpr const char* name = "driven_rod";
  static constexpr const char* summary = "a rod from a driven crank pin to a rail";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "s = L cos(angle) + L cos b, L sin(angle) + L sin b = 0";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"phase", "rad", 0.7}, {"w", "rad/s", 6.0}, {"L", "m", 0.3}};
  static constexpr Quantity coordinates[] = {{"b", "rad"}, {"s", "m"}};
  static constexpr Quantity rates[] = {{"b_dot", "rad/s"}, {"s_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"along", "m"}, {"across", "m"}};
  static constexpr TimeGrid time = {.end = 0.4, .dt = 1e-3};
  static constexpr double singular_angle = 1.5707963267948966;
  static constexpr double turns = -1;  ///< ratio of the first coordinate to the drive

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = -p[0];
    q[1] = cos(p[0]) * p[2] * 2.0;
    w[0] = -p[1];
    w[1] = -sin(p[0]) * p[1] * p[2] * 2.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(0.03), X(1.5)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(2.0), X(-3.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> phi(const P& p, const X& t, const Vec<X, 2>& q) {
    const X angle = t * p[1] + p[0];
    return {q[1] - (cos(angle) + cos(q[0])) * p[2], (sin(angle) + sin(q[0])) * p[2]};
  }
};

/// Slider-crank with the crank as a driven body, and the rod by its centre: the rank of five rows drops by one at a
/// quarter turn. a = angle, b = -angle.
struct DrivenCrank {
  static constexpr const char* name = "driven_crank";
  static constexpr const char* summary = "an in-line slider-crank, its crank driven, as long as its rod";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "a = angle; pins at the crank and at the slider";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"phase", "rad", 0.7}, {"w", "rad/s", 6.0}, {"L", "m", 0.3}};
  static constexpr Quantity coordinates[] = {{"b", "rad"}, {"s", "m"}, {"a", "rad"}, {"u", "m"}, {"v", "m"}};
  static constexpr Quantity rates[] = {
      {"b_dot", "rad/s"}, {"s_dot", "m/s"}, {"a_dot", "rad/s"}, {"u_dot", "m/s"}, {"v_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {
      {"drive", "rad"}, {"pin_x", "m"}, {"pin_y", "m"}, {"end_x", "m"}, {"end_y", "m"}};
  static constexpr TimeGrid time = {.end = 0.4, .dt = 1e-3};
  static constexpr double singular_angle = 1.5707963267948966;
  static constexpr double turns = -1;  ///< ratio of the first coordinate to the drive

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [phase, rate, L] = p.data;
    q[0] = -phase;
    q[1] = cos(phase) * L * 2.0;
    q[2] = phase;
    q[3] = cos(phase) * L * 1.5;
    q[4] = sin(phase) * L * 0.5;
    w[0] = -rate;
    w[1] = -sin(phase) * rate * L * 2.0;
    w[2] = rate;
    w[3] = -sin(phase) * rate * L * 1.5;
    w[4] = cos(phase) * rate * L * 0.5;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 5>&) {
    return Diagonal<X, 5>{{X(0.03), X(1.5), X(0.02), X(0.4), X(0.4)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 5> force(const P&, const X&, const Vec<X, 5>&, const Vec<X, 5>&) {
    return {X(2.0), X(-3.0), X(0.5), X(0.0), X(-4.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 5> phi(const P& p, const X& t, const Vec<X, 5>& q) {
    const X half_x = cos(q[0]) * (p[2] * 0.5);
    const X half_y = sin(q[0]) * (p[2] * 0.5);
    return {q[2] - (t * p[1] + p[0]), q[3] - half_x - cos(q[2]) * p[2], q[4] - half_y - sin(q[2]) * p[2],
            q[3] + half_x - q[1], q[4] + half_y};
  }
};

/// Slider-crank whose slider is moved as by a crank of constant rate: the crank moves through both dead centres, at
/// angle 0 and pi, with no free coordinate. a = angle.
struct DrivenPiston {
  static constexpr const char* name = "driven_piston";
  static constexpr const char* summary = "a slider-crank by its driven piston";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "s = r cos a + L cos b, r sin a + L sin b = 0, s = s(angle)";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"phase", "rad", -0.7}, {"w", "rad/s", 6.0}, {"L", "m", 0.3}};
  static constexpr Quantity coordinates[] = {{"a", "rad"}, {"b", "rad"}, {"s", "m"}};
  static constexpr Quantity rates[] = {{"a_dot", "rad/s"}, {"b_dot", "rad/s"}, {"s_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"along", "m"}, {"across", "m"}, {"piston", "m"}};
  static constexpr TimeGrid time = {.end = 0.4, .dt = 1e-3};
  static constexpr double singular_angle = 0;
  static constexpr double turns = 1;  ///< ratio of the first coordinate to the drive
  static constexpr double r = 0.1;

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [phase, rate, L] = p.data;
    const auto rod = -asin(sin(phase) * r / L);
    q[0] = phase;
    q[1] = rod;
    q[2] = cos(phase) * r + cos(rod) * L;
    w[0] = rate;
    w[1] = -cos(phase) * rate * r / (cos(rod) * L);
    w[2] = -sin(phase) * rate * r - sin(rod) * w[1] * L;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(0.02), X(0.03), X(1.5)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(0.5), X(2.0), X(-3.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> phi(const P& p, const X& t, const Vec<X, 3>& q) {
    const X angle = t * p[1] + p[0];
    const X high = sin(angle) * r;
    return {q[2] - cos(q[0]) * r - cos(q[1]) * p[2], sin(q[0]) * r + sin(q[1]) * p[2],
            q[2] - cos(angle) * r - sqrt(p[2] * p[2] - high * high)};
  }
};

/// Slider-crank with the crank as long as its rod, moving by its own inertia: the row "across" vanishes at a quarter
/// turn. b = -a, s = 2 L cos a, and the energy is conserved.
struct FoldingCrank {
  static constexpr const char* name = "folding_crank";
  static constexpr const char* summary = "a slider-crank that folds and unfolds";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "s = L cos a + L cos b, L sin a + L sin b = 0";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"phase", "rad", 0.7}, {"w", "rad/s", 6.0}, {"L", "m", 0.3}};
  static constexpr Quantity coordinates[] = {{"a", "rad"}, {"b", "rad"}, {"s", "m"}};
  static constexpr Quantity rates[] = {{"a_dot", "rad/s"}, {"b_dot", "rad/s"}, {"s_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"along", "m"}, {"across", "m"}};
  static constexpr TimeGrid time = {.end = 0.4, .dt = 1e-3};
  static constexpr double singular_angle = 1.5707963267948966;

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [phase, rate, L] = p.data;
    q[0] = phase;
    q[1] = -phase;
    q[2] = cos(phase) * L * 2.0;
    w[0] = rate;
    w[1] = -rate;
    w[2] = -sin(phase) * rate * L * 2.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(0.02), X(0.03), X(1.5)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(0.0), X(0.0), X(0.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> phi(const P& p, const X&, const Vec<X, 3>& q) {
    return {q[2] - (cos(q[0]) + cos(q[1])) * p[2], (sin(q[0]) + sin(q[1])) * p[2]};
  }
  template <class P, class X>
  KALABA_FN static X energy(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return (w[0] * w[0] * 0.02 + w[1] * w[1] * 0.03 + w[2] * w[2] * 1.5) * 0.5;
  }
};

}  // namespace kalaba::test
