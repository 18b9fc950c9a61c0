#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba::bench {

/// Coefficients of constraint `row`, identical for Kalaba and its peers.
KALABA_FN constexpr double bend(int row, int i) { return ((row * 7 + i * 3) % 11 - 5) / 10.0; }
KALABA_FN constexpr double slope(int row, int i) { return row == i ? 2.0 : ((row * 5 + i * 13) % 17 - 8) / 20.0; }

/// n = 4 Size oscillators constrained to m = 3 Size quadrics through the origin: a dense A of any size, to measure the
/// growth of the cost of a step.
template <int Size>
struct Quadrics {
  static constexpr int n = 4 * Size;
  static constexpr int m = 3 * Size;
  static constexpr const char* name = "quadrics";
  static constexpr const char* summary = "oscillators on quadrics";
  static constexpr const char* source = "a benchmark";
  static constexpr const char* equations = "q_i'' = -k q_i + Qc,  phi_r = sum_i (bend_ri q_i^2 / 2 + slope_ri q_i)";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr int copies = Size;
  static constexpr Quantity parameters[] = {{"k", "1/s^2", 1.0, "stiffness"}};
  static constexpr Quantity coordinates[] = {{"a{}", "m"}, {"b{}", "m"}, {"c{}", "m"}, {"d{}", "m"}};
  static constexpr Quantity rates[] = {{"a{}_dot", "m/s"}, {"b{}_dot", "m/s"}, {"c{}_dot", "m/s"}, {"d{}_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"f{}", "m^2"}, {"g{}", "m^2"}, {"h{}", "m^2"}};
  static constexpr TimeGrid time = {.end = 0.1, .dt = 1e-3, .save_every = 100};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    for (int i = 0; i < n; ++i) {
      q[i] = 0.0;
      w[i] = 0.1 * ((i * 5) % 7 - 3);
    }
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, n>&) {
    Diagonal<X, n> mass;
    for (int i = 0; i < n; ++i) mass.entry[i] = X(1.0 + 0.1 * (i % 3));
    return mass;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, n> force(const P& p, const X&, const Vec<X, n>& q, const Vec<X, n>&) {
    Vec<X, n> pull;
    for (int i = 0; i < n; ++i) pull[i] = -(q[i] * p[0]);
    return pull;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, m> phi(const P&, const X&, const Vec<X, n>& q) {
    Vec<X, m> value;
    for (int r = 0; r < m; ++r) {
      value[r] = X(0.0);
      for (int i = 0; i < n; ++i) value[r] = value[r] + q[i] * (q[i] * (0.5 * bend(r, i)) + slope(r, i));
    }
    return value;
  }
  template <class P, class X>
  KALABA_FN static Mat<X, m, n> matrix(const P&, const X&, const Vec<X, n>& q, const Vec<X, n>&) {
    Mat<X, m, n> a;
    for (int r = 0; r < m; ++r) {
      for (int i = 0; i < n; ++i) a(r, i) = fma(q[i], X(bend(r, i)), X(slope(r, i)));
    }
    return a;
  }
};

}  // namespace kalaba::bench
