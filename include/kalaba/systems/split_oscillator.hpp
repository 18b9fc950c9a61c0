#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Two masses on two springs, described as separate parts joined by a constraint: the mass matrix is singular (Udwadia,
/// Phohomsiri 2006).
struct SplitOscillator {
  static constexpr const char* name = "split_oscillator";
  static constexpr const char* summary = "two masses on springs, cut into parts; singular mass matrix";
  static constexpr const char* source = "Udwadia, Phohomsiri 2006 (reference 33 of Zhao et al. 2018)";
  static constexpr const char* equations =
      "T = m1 x1'^2 / 2 + m2 (y' + x2')^2 / 2,  V = k1 x1^2 / 2 + k2 x2^2 / 2 (x1, x2 the stretches)\n"
      "phi = y - x1 - d = 0: the second spring hangs on the first mass\n"
      "M = [[m1, 0, 0], [0, m2, m2], [0, m2, m2]] has rank 2, [M; A] rank 3\n"
      "w' = [(I - A+ A) M; A]+ [Q; b]";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr bool singular_metric = true;
  static constexpr Quantity parameters[] = {{"m1", "kg", 1.0, "first mass"},
                                            {"m2", "kg", 0.5, "second mass"},
                                            {"k1", "N/m", 10.0, "first spring"},
                                            {"k2", "N/m", 4.0, "second spring"},
                                            {"d", "m", 0.3, "size of the first mass"}};
  static constexpr Quantity coordinates[] = {{"x1", "m", 0, "stretch of the first spring"},
                                             {"y", "m", 0, "where the second spring begins"},
                                             {"x2", "m", 0, "stretch of the second spring"}};
  static constexpr Quantity rates[] = {{"x1_dot", "m/s"}, {"y_dot", "m/s"}, {"x2_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"joint", "m", 0, "the parts stay joined"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = 0.2;
    q[1] = 0.2 + p[4];
    q[2] = -0.1;
    w[0] = 0.0;
    w[1] = 0.0;
    w[2] = 0.5;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    const X zero(0.0);
    const X m2(p[1]);
    return Symmetric<X, 3>{{X(p[0]), zero, zero, zero, m2, m2, zero, m2, m2}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>&) {
    return {-(q[0] * p[2]), X(0.0), -(q[2] * p[3])};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 3>& q) {
    return {q[1] - q[0] - p[4]};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    const X second = w[1] + w[2];
    return (w[0] * w[0] * p[0] + second * second * p[1] + q[0] * q[0] * p[2] + q[2] * q[2] * p[3]) * 0.5;
  }

  /// In u = (sqrt(m1) x1, sqrt(m2) (x1 + x2)) the motion is u'' = -K u, a sum of two modes.
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    const auto& [m1, m2, k1, k2, d] = p.data;
    const double a = (k1 + k2) / m1;
    const double b = -k2 / sqrt(m1 * m2);
    const double c = k2 / m2;
    const double angle = 0.5 * atan2(2 * b, a - c);
    const double axis[2][2] = {{cos(angle), sin(angle)}, {-sin(angle), cos(angle)}};
    start(p, q, w);
    const double u[2] = {sqrt(m1) * q[0], sqrt(m2) * (q[0] + q[2])};
    const double v[2] = {sqrt(m1) * w[0], sqrt(m2) * (w[0] + w[2])};
    double place[2] = {0, 0};
    double speed[2] = {0, 0};
    for (const auto& e : axis) {
      const double rate = sqrt(a * e[0] * e[0] + 2 * b * e[0] * e[1] + c * e[1] * e[1]);
      const double x = e[0] * u[0] + e[1] * u[1];
      const double x_dot = e[0] * v[0] + e[1] * v[1];
      for (int i = 0; i < 2; ++i) {
        place[i] += e[i] * (x * cos(rate * t) + x_dot / rate * sin(rate * t));
        speed[i] += e[i] * (x_dot * cos(rate * t) - x * rate * sin(rate * t));
      }
    }
    q[0] = place[0] / sqrt(m1);
    q[1] = q[0] + d;
    q[2] = place[1] / sqrt(m2) - q[0];
    w[0] = speed[0] / sqrt(m1);
    w[1] = w[0];
    w[2] = speed[1] / sqrt(m2) - w[0];
  }
};

}  // namespace kalaba
