#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A car's axle on two stiff springs over a bumpy road [IVP Test Set].
struct CarAxis {
  static constexpr const char* name = "car_axis";
  static constexpr const char* summary = "car axis on two stiff springs, its right wheel on a bumpy road";
  static constexpr const char* source = "Test Set for Initial Value Problem Solvers, car axis problem";
  static constexpr const char* equations =
      "yb = r sin(omega t), xb = sqrt(L^2 - yb^2), Ll = |(xl, yl)|, Lr = |(xr - xb, yr - yb)|\n"
      "k (xl'', yl'') = (L0 - Ll) (xl, yl) / Ll - k (0, g),  k = epsilon^2 M / 2\n"
      "k (xr'', yr'') = (L0 - Lr) (xr - xb, yr - yb) / Lr - k (0, g)\n"
      "phi1 = xb xl + yb yl = 0\n"
      "phi2 = (xl - xr)^2 + (yl - yr)^2 - L^2 = 0";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"M", "kg", 10.0, "mass of the car, before its factor epsilon^2"},
                                            {"L", "m", 1.0, "length of the axis, distance of the wheels"},
                                            {"L0", "m", 0.5, "length of a spring at rest; its stiffness is 1 N/m"},
                                            {"epsilon", "1", 1e-2, "stiffness: the axis weighs epsilon^2 M"},
                                            {"omega", "rad/s", 10.0, "frequency of the bumps"},
                                            {"r", "m", 0.1, "height of the bumps"},
                                            {"g", "m/s^2", 1.0, "gravity"}};
  static constexpr Quantity coordinates[] = {
      {"xl", "m", 0, "left end of the axis"}, {"yl", "m"}, {"xr", "m", 0, "right end of the axis"}, {"yr", "m"}};
  static constexpr Quantity rates[] = {{"xl_dot", "m/s"}, {"yl_dot", "m/s"}, {"xr_dot", "m/s"}, {"yr_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"upright", "m^2", 0, "the left spring stays across the line of the wheels"},
                                           {"axis", "m^2", 0, "the ends stay at distance L"}};
  static constexpr TimeGrid time = {.end = 3, .dt = 1e-4, .save_every = 300};
  // Known to 15 digits; the tolerance is the accuracy of steps of 0.1 ms.
  static constexpr Figure figures[] = {
      {3, "xl", 0.0493455784275402809, 5e-11},  {3, "yl", 0.496989460230171154, 5e-11},
      {3, "xr", 1.04174252488542152, 5e-11},    {3, "yr", 0.373911027265361257, 5e-11},
      {3, "xl_dot", -0.0770583684040972, 1e-9}, {3, "yl_dot", 0.00744686658723779, 1e-9},
      {3, "xr_dot", 0.0175568157537232, 1e-9},  {3, "yr_dot", 0.770341043779252, 1e-9}};

  /// At the start the wheel rises at r omega, and the left spring turns with it.
  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [M, L, L0, epsilon, omega, r, g] = p.data;
    q[0] = 0.0;
    q[1] = L0;
    q[2] = L;
    q[3] = L0;
    w[0] = -L0 * r * omega / L;
    w[1] = 0.0;
    w[2] = w[0];
    w[3] = 0.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 4>&) {
    const X k(half_mass(p));
    return Diagonal<X, 4>{{k, k, k, k}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 4> force(const P& p, const X& t, const Vec<X, 4>& q, const Vec<X, 4>&) {
    const Road<X> road = road_at(p, t);
    const auto weight = half_mass(p) * p[6];
    const X dx = q[2] - road.x;
    const X dy = q[3] - road.y;
    const X left = p[2] / sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
    const X right = p[2] / sqrt(dx * dx + dy * dy) - 1.0;
    return {left * q[0], left * q[1] - weight, right * dx, right * dy - weight};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> phi(const P& p, const X& t, const Vec<X, 4>& q) {
    const Road<X> road = road_at(p, t);
    const X dx = q[0] - q[2];
    const X dy = q[1] - q[3];
    return {road.x * q[0] + road.y * q[1], dx * dx + dy * dy - p[1] * p[1]};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X& t, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    const Road<X> road = road_at(p, t);
    const auto k = half_mass(p);
    const X dx = q[2] - road.x;
    const X dy = q[3] - road.y;
    const X left = sqrt(q[0] * q[0] + q[1] * q[1]) - p[2];
    const X right = sqrt(dx * dx + dy * dy) - p[2];
    return (k * dot(w, w) + left * left + right * right) * 0.5 + (q[1] + q[3]) * (k * p[6]);
  }

 private:
  /// Position of the right wheel.
  template <class X>
  struct Road {
    X x, y;
  };

  template <class P, class X>
  KALABA_FN static Road<X> road_at(const P& p, const X& t) {
    const auto& [M, L, L0, epsilon, omega, r, g] = p.data;
    const X y = r * sin(omega * t);
    return {sqrt(L * L - y * y), y};
  }

  template <class P>
  KALABA_FN static auto half_mass(const P& p) {
    const auto& [M, L, L0, epsilon, omega, r, g] = p.data;
    return epsilon * epsilon * M * 0.5;
  }
};

}  // namespace kalaba
