#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// N parallelogram four-bar linkages in a row: N + 1 cranks on the ground, N couplers between their ends. When the
/// cranks are horizontal, N singular values of the constraint matrix vanish at once, and branches of the motion cross.
template <int N>
struct FourBarWindows {
  static constexpr const char* name = "four_bar_windows";
  static constexpr const char* summary = "a row of parallelogram four-bars, which goes through singular positions";
  static constexpr const char* source = "IFToMM library of multibody benchmarks, the N-four-bar mechanism";
  static constexpr const char* equations =
      "bars of mass m and length L: M = diag(m, m, m L^2 / 12), gravity along -y\n"
      "phi = 0: crank i turns about its foot at (i L, 0); coupler i joins the ends of cranks i and i + 1";
  static constexpr const char* note =
      "One degree of freedom: 6 N + 2 constraints on 6 N + 3 rates. Where the cranks lie flat the rank is less by N,\n"
      "and only the earlier motion determines how it continues.";
  static constexpr const char* structure = "windows";  // the structural parameter
  static constexpr int structure_size = N;
  static constexpr int copies = 2 * N + 1;             // bars
  static constexpr int constraint_copies = 3 * N + 1;  // joints
  static constexpr int extent = 3 * copies;
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass of a bar"},
                                            {"L", "m", 1.0, "length of a bar"},
                                            {"g", "m/s^2", 9.81, "gravity"},
                                            {"v0", "m/s", 1.0, "speed of the couplers at the start, cranks upright"}};
  static constexpr Quantity coordinates[] = {{"x{}", "m", 0, "centre of a bar: first the cranks, then the couplers"},
                                             {"y{}", "m", 0, "up"},
                                             {"angle{}", "rad", 0, "against the x axis"}};
  static constexpr Quantity rates[] = {{"x{}_dot", "m/s"}, {"y{}_dot", "m/s"}, {"angle{}_dot", "rad/s"}};
  static constexpr Quantity holonomic[] = {{"joint{}_x", "m"}, {"joint{}_y", "m"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 10, .dt = 1e-3, .save_every = 50};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [m, L, g, v0] = p.data;
    for (int bar = 0; bar < copies; ++bar) {
      const bool crank = bar <= N;
      q[3 * bar] = crank ? L * bar : L * (bar - N - 1 + 0.5);
      q[3 * bar + 1] = crank ? L * 0.5 : L;
      q[3 * bar + 2] = crank ? 1.5707963267948966 : 0.0;
      w[3 * bar] = crank ? v0 * 0.5 : v0;
      w[3 * bar + 1] = 0.0;
      w[3 * bar + 2] = crank ? -v0 / L : v0 * 0.0;
    }
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, extent>&) {
    Diagonal<X, extent> mass;
    for (int i = 0; i < extent; ++i) mass.entry[i] = X(i % 3 == 2 ? p[0] * p[1] * p[1] * (1.0 / 12) : p[0]);
    return mass;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, extent> force(const P& p, const X&, const Vec<X, extent>&, const Vec<X, extent>&) {
    Vec<X, extent> weight;
    for (int i = 0; i < extent; ++i) weight[i] = i % 3 == 1 ? X(-p[0] * p[2]) : X(0.0);
    return weight;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2 * constraint_copies> phi(const P& p, const X&, const Vec<X, extent>& q) {
    Vec<X, 2 * copies> half;  // from a bar's centre to its end
    for (int bar = 0; bar < copies; ++bar) {
      half[2 * bar] = cos(q[3 * bar + 2]) * (p[1] * 0.5);
      half[2 * bar + 1] = sin(q[3 * bar + 2]) * (p[1] * 0.5);
    }
    Vec<X, 2 * constraint_copies> gaps;
    for (int axis = 0; axis < 2; ++axis) {
      const auto begin = [&](int bar) KALABA_LAMBDA { return q[3 * bar + axis] - half[2 * bar + axis]; };
      const auto end = [&](int bar) KALABA_LAMBDA { return q[3 * bar + axis] + half[2 * bar + axis]; };
      for (int i = 0; i <= N; ++i) gaps[2 * i + axis] = axis == 0 ? begin(i) - p[1] * static_cast<double>(i) : begin(i);
      for (int i = 0; i < N; ++i) {
        const int row = 2 * (N + 1 + 2 * i) + axis;
        gaps[row] = end(i) - begin(N + 1 + i);
        gaps[row + 2] = end(i + 1) - end(N + 1 + i);
      }
    }
    return gaps;
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, extent>& q, const Vec<X, extent>& w) {
    const auto& [m, L, g, v0] = p.data;
    X twice(0.0);
    X height(0.0);
    for (int bar = 0; bar < copies; ++bar) {
      twice = twice + w[3 * bar] * w[3 * bar] + w[3 * bar + 1] * w[3 * bar + 1] +
              w[3 * bar + 2] * w[3 * bar + 2] * (L * L * (1.0 / 12));
      height = height + q[3 * bar + 1];
    }
    return twice * (m * 0.5) + height * (m * g);
  }
};

}  // namespace kalaba
