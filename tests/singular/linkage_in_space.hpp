#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba::test {

/// Four arms whose ends form a closed loop, in a plane except for a `tilt` of their axes: three rows have rank 2 if the
/// tilt is at rounding level.
template <Formulation Form>
struct LinkageInSpace {
  static constexpr const char* name = Form == Formulation::lagrange   ? "linkage_by_velocities"
                                      : Form == Formulation::hamilton ? "linkage_by_momenta"
                                                                      : "linkage_by_quasi_velocities";
  static constexpr const char* summary = "a planar loop in space";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "x = 0, y = 0, tilt z = 0";
  static constexpr Formulation formulation = Form;
  static constexpr Quantity parameters[] = {{"tilt", "", 1e-16}};
  static constexpr Quantity coordinates[] = {{"a", "rad"}, {"b", "rad"}, {"c", "rad"}, {"d", "rad"}};
  static constexpr Quantity rates[] = {{"w_a", ""}, {"w_b", ""}, {"w_c", ""}, {"w_d", ""}};
  static constexpr Quantity holonomic[] = {{"x", "m"}, {"y", "m"}, {"z", "m"}};
  static constexpr TimeGrid time = {.end = 0.1, .dt = 1e-3};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    const double angles[] = {0.3, 1.1, -0.4, 0.8};
    for (int i = 0; i < 4; ++i) {
      q[i] = angles[i];
      w[i] = 0.0;
    }
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 4>&) {
    return Diagonal<X, 4>{{X(0.5), X(2.0), X(0.25), X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 4> force(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>&) {
    return {X(-1.0), X(0.5), X(2.0), X(0.3)};
  }
  template <class P, class X, class W>
  KALABA_FN static auto velocity(const P&, const X&, const Vec<X, 4>&, const W& w) {
    W v;
    for (int i = 0; i < 4; ++i) {
      v[i] = Form == Formulation::hamilton ? w[i] * (i == 0   ? 0.5
                                                     : i == 1 ? 2.0
                                                     : i == 2 ? 0.25
                                                              : 1.0)
                                           : w[i] + w[(i + 1) % 4] * (Form == Formulation::kane ? 0.5 : 0.0);
    }
    return v;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> phi(const P& p, const X&, const Vec<X, 4>& q) {
    const X x = cos(q[0]) * 0.3 + cos(q[1]) * 0.2 - cos(q[2]) * 0.25 - cos(q[3]) * 0.1;
    const X y = sin(q[0]) * 0.3 + sin(q[1]) * 0.2 - sin(q[2]) * 0.25 - sin(q[3]) * 0.1;
    const X z = sin(q[0]) * 0.1 - cos(q[1]) * 0.3 + sin(q[2]) * 0.2 + cos(q[3]) * 0.4;
    return {x, y, z * p[0]};
  }
};

/// The linkage in space, constrained by the motors of three of its arms only.
struct ActuatedLinkageInSpace : LinkageInSpace<Formulation::lagrange> {
  static constexpr const char* name = "linkage_by_motors";
  static constexpr int actuators = 3;
  template <class P, class X>
  KALABA_FN static Mat<X, 4, 3> actuation(const P&, const X&, const Vec<X, 4>&) {
    Mat<X, 4, 3> directions;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 3; ++j) directions(i, j) = X(i == j ? 1.0 : 0.0);
    }
    return directions;
  }
};

}  // namespace kalaba::test
