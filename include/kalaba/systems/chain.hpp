#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// N point masses in the plane, hanging in a row from the origin on massless rods.
template <int N>
struct Chain {
  static constexpr const char* name = "chain";
  static constexpr const char* summary = "point masses hanging in a row on massless rods";
  static constexpr const char* source = "a benchmark of this project: any extent n = 2 N, m = N";
  static constexpr const char* equations =
      "m x_i'' = 0, m y_i'' = -m g\n"
      "phi_i = (|r_i - r_(i-1)|^2 - L^2) / 2 = 0,  r_0 = 0";
  static constexpr const char* structure = "links";  // the structural parameter
  static constexpr int copies = N;
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass of a link's end"}, {"L", "m", 1.0, "length of a rod"}, {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x{}", "m"}, {"y{}", "m", 0, "up"}};
  static constexpr Quantity rates[] = {{"x{}_dot", "m/s"}, {"y{}_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"rod{}", "m^2", 0, "the rod keeps its length"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};

  /// Straight, at 0.5 rad from the vertical, at rest.
  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [m, L, g] = p.data;
    const auto across = L * sin(0.5);
    const auto down = L * cos(0.5);
    for (int i = 0; i < N; ++i) {
      q[2 * i] = across * (i + 1.0);
      q[2 * i + 1] = down * (-i - 1.0);
      w[2 * i] = 0.0;
      w[2 * i + 1] = 0.0;
    }
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2 * N>&) {
    Diagonal<X, 2 * N> mass;
    for (int i = 0; i < 2 * N; ++i) mass.entry[i] = X(p[0]);
    return mass;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2 * N> force(const P& p, const X&, const Vec<X, 2 * N>&, const Vec<X, 2 * N>&) {
    const auto& [m, L, g] = p.data;
    Vec<X, 2 * N> weight;
    for (int i = 0; i < N; ++i) {
      weight[2 * i] = X(0.0);
      weight[2 * i + 1] = X(-m * g);
    }
    return weight;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, N> phi(const P& p, const X&, const Vec<X, 2 * N>& q) {
    const auto length2 = p[1] * p[1];
    Vec<X, N> rods;
    rods[0] = (q[0] * q[0] + q[1] * q[1] - length2) * 0.5;
    for (int i = 1; i < N; ++i) {
      const X dx = q[2 * i] - q[2 * i - 2];
      const X dy = q[2 * i + 1] - q[2 * i - 1];
      rods[i] = (dx * dx + dy * dy - length2) * 0.5;
    }
    return rods;
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 2 * N>& q, const Vec<X, 2 * N>& w) {
    const auto& [m, L, g] = p.data;
    X height = q[1];
    for (int i = 1; i < N; ++i) height = height + q[2 * i + 1];
    return dot(w, w) * (0.5 * m) + height * (m * g);
  }
};

}  // namespace kalaba
