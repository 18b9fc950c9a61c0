#pragma once

#include "kalaba/make_system.hpp"

namespace kalaba::adaptive {

/// Bead that moves on the unit circle at angular velocity `omega`.
struct Bead {
  static constexpr const char* name = "bead";
  static constexpr const char* summary = "a bead on a ring";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "r'' = 0, phi = (|r|^2 - 1) / 2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"omega", "rad/s", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"ring", "m^2"}};
  static constexpr TimeGrid time = {.end = 4, .dt = 1.0 / 64, .save_every = 64};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    closed_form(p, 0.0, q, w);
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(1.0), X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(0.0), X(0.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X&, const Vec<X, 2>& q) {
    return {(dot(q, q) - 1.0) * 0.5};
  }
  template <class P, class X>
  KALABA_FN static X energy(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return dot(w, w) * 0.5;
  }
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    const auto angle = p[0] * t;
    q[0] = cos(angle);
    q[1] = sin(angle);
    w[0] = -p[0] * sin(angle);
    w[1] = p[0] * cos(angle);
  }
};

/// x = 1 / (pole - t), which diverges at the pole.
struct Runaway {
  static constexpr const char* name = "runaway";
  static constexpr const char* summary = "reaches infinity";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "x'' = 2 x^3";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"pole", "s", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / 64, .save_every = 16};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = 1.0 / p[0];
    w[0] = q[0] * q[0];
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 1>&) {
    return Diagonal<X, 1>{{X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> force(const P&, const X&, const Vec<X, 1>& q, const Vec<X, 1>&) {
    return {q[0] * q[0] * q[0] * 2.0};
  }
};

}  // namespace kalaba::adaptive
