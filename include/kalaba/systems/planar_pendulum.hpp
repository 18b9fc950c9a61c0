#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A point mass on a rod in Cartesian coordinates, released from the horizontal: the common part of two published
/// benchmarks.
struct PlanarPendulum {
  static constexpr const char* equations =
      "m x'' = 0, m y'' = -m g, under phi = (x^2 + y^2 - L^2) / 2 = 0\n"
      "From the horizontal at rest, theta the angle from the vertical and k^2 = 1/2:\n"
      "sin(theta / 2) = k cd(sqrt(g / L) t, k), of period 4 K(k) sqrt(L / g)";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass"}, {"L", "m", 1.0, "length of the rod"}, {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m", 0, "up"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"rod", "m^2", 0, "the mass stays at distance L"}};
  static constexpr bool conserves_energy = true;

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = p[1];
    q[1] = 0.0;
    w[0] = 0.0;
    w[1] = 0.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    const X m(p[0]);
    return Diagonal<X, 2>{{m, m}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    const auto& [m, L, g] = p.data;
    return {X(0.0), X(-m * g)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 2>& q) {
    return {(dot(q, q) - p[1] * p[1]) * 0.5};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const auto& [m, L, g] = p.data;
    return dot(w, w) * (0.5 * m) + q[1] * (m * g);
  }

  /// Fourier series of cd, whose nome is exp(-pi) at k^2 = 1/2: twelve terms are exact to rounding.
  template <class P, class X, class Q, class W>
  KALABA_FN static void closed_form(const P& p, const X& t, Q& q, W& w) {
    constexpr double pi = 3.141592653589793;
    constexpr double quarter = 1.8540746773013719;  // K(k)
    const auto& [m, L, g] = p.data;
    const auto turn = sqrt(g / L) * (pi / (2 * quarter));
    const double nome = exp(-pi);
    double weight = 2 * pi / quarter * exp(-pi / 2);
    double power = nome;
    X half_sine(0.0);
    X slope(0.0);
    for (int odd = 1; odd < 24; odd += 2) {
      const double term = weight / (1 - power);
      half_sine = half_sine + term * cos(turn * t * odd);
      slope = slope - term * odd * turn * sin(turn * t * odd);
      weight *= -nome;
      power *= nome * nome;
    }
    const X half_cosine = sqrt(1.0 - half_sine * half_sine);
    const X theta_dot = 2.0 * slope / half_cosine;
    q[0] = L * 2.0 * half_sine * half_cosine;
    q[1] = L * (2.0 * half_sine * half_sine - 1.0);
    w[0] = -q[1] * theta_dot;
    w[1] = q[0] * theta_dot;
  }
};

}  // namespace kalaba
