#pragma once

#include "kalaba/core/model/energy.hpp"
#include "small_models.hpp"

// Models that state an energy: those of the catalogue, restated, and small ones with a known motion.

namespace kalaba::conformance {

/// Hamiltonian model defined by its energy only, which is its H.
template <class M>
struct ByHamiltonian : M {
  template <class P, class X, class Q>
  KALABA_FN static X hamiltonian(const P& p, const X& t, const Q& q, const Q& w) {
    return M::energy(p, t, q, w);
  }
};

/// Lagrangian model defined by its energy only: E = T + V, so that L = T - V = E(q, v) - 2 E(q, 0).
template <class M>
struct ByLagrangian : M {
  template <class P, class X, class Q>
  KALABA_FN static X lagrangian(const P& p, const X& t, const Q& q, const Q& w) {
    Q rest;
    for (int i = 0; i < Q::size; ++i) rest[i] = X(0.0);
    return M::energy(p, t, q, w) - M::energy(p, t, q, rest) * 2.0;
  }
};

/// Bead on a rod that rotates in a vertical plane at omega = 1.3 rad/s; polar coordinates (r, theta), from the
/// horizontal.
///   r'' = omega^2 r - g sin(omega t):  r = cosh(omega t) - g / (2 omega^2) (sinh(omega t) - sin(omega t))
struct TurningRod {
  static constexpr const char* name = "turning_rod";
  static constexpr const char* summary = "a bead on a turning rod";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "theta = omega t";
  static constexpr double omega = 1.3;
  static constexpr Quantity parameters[] = {{"m", "kg", 0.7}, {"g", "m/s^2", 9.81}};
  static constexpr Quantity coordinates[] = {{"r", "m"}, {"theta", "rad"}};
  static constexpr Quantity holonomic[] = {{"angle", "rad"}};
  static constexpr TimeGrid time = {.end = 0.5, .dt = 1e-3};

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X& t, const Vec<X, 2>& q) {
    return {q[1] - t * omega};
  }
  template <class P, class X>
  KALABA_FN static X potential(const P& p, const Vec<X, 2>& q) {
    return q[0] * sin(q[1]) * (p[0] * p[1]);
  }
  template <class P, class Q>
  KALABA_FN static void closed_place(const P& p, double t, Q& q, double& r_dot) {
    const double a = omega * t;
    const double sag = p[1] / (2 * omega * omega);
    q[0] = cosh(a) - sag * (sinh(a) - sin(a));
    q[1] = a;
    r_dot = omega * (sinh(a) - sag * (cosh(a) - cos(a)));
  }
};

struct TurningRodLagrangian : TurningRod {
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity rates[] = {{"r_dot", "m/s"}, {"theta_dot", "rad/s"}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 1.0;
    q[1] = 0.0;
    w[0] = 0.0;
    w[1] = omega;
  }
  template <class P, class X>
  KALABA_FN static X lagrangian(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& v) {
    return (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) * (0.5 * p[0]) - potential(p, q);
  }
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    double r_dot = 0;
    closed_place(p, t, q, r_dot);
    w[0] = r_dot;
    w[1] = omega;
  }
};

struct TurningRodHamiltonian : TurningRod {
  static constexpr Formulation formulation = Formulation::hamilton;
  static constexpr Quantity rates[] = {{"p_r", "kg m/s"}, {"p_theta", "kg m^2/s"}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = 1.0;
    q[1] = 0.0;
    w[0] = 0.0;
    w[1] = p[0] * omega;
  }
  template <class P, class X>
  KALABA_FN static X hamiltonian(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return (w[0] * w[0] + w[1] * w[1] / (q[0] * q[0])) * (0.5 / p[0]) + potential(p, q);
  }
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    double r_dot = 0;
    closed_place(p, t, q, r_dot);
    w[0] = p[0] * r_dot;
    w[1] = p[0] * q[0] * q[0] * omega;
  }
};

/// A Lagrangian with a term linear in v and terms in t, and a drag that no Lagrangian gives:
///   L = m(t) |v|^2 / 2 + y x',  m(t) = m (1 + t)
///   m(t) v' + m v = (-y', x') + (-3 x', -3 y')
struct GrowingMass : Plane {
  template <class P, class X>
  KALABA_FN static X lagrangian(const P& p, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& v) {
    return dot(v, v) * ((t + 1.0) * (0.5 * p[0])) + q[1] * v[0];
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> applied(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>& v) {
    return {v[0] * -3.0, v[1] * -3.0};
  }
};

}  // namespace kalaba::conformance
