#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Bricard's mechanism: six bars along the edges of a cube, joined in a ring by six hinges, with the last bar fixed. By
/// the count of its joints it could not move (30 rates, 30 constraints); its rank is 29 during the motion.
struct BricardLoop {
  static constexpr const char* name = "bricard_loop";
  static constexpr const char* summary = "Bricard's six-bar ring: a spatial loop that is overconstrained by one";
  static constexpr const char* source = "IFToMM library of multibody benchmarks, Bricard's mechanism";
  static constexpr const char* equations =
      "bars of mass m, length L and square section of side s; quaternions q' = q * (0, omega) / 2, omega in body axes\n"
      "Theta = diag(m, m, m, J) a bar, F - L = (m g, -omega x J omega), gravity along -z\n"
      "phi = 0: at each hinge, the ends meet (3) and the axes are parallel (2)";
  static constexpr const char* note =
      "The redundant row is a combination of all others that changes with the position.";
  static constexpr int bars = 5;
  static constexpr int copies = bars;
  static constexpr int constraint_copies = bars + 1;
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass of a bar"},
                                            {"L", "m", 1.0, "length of a bar"},
                                            {"s", "m", 0.1, "side of its section"},
                                            {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x{}", "m", 0, "centre of a bar"},
                                             {"y{}", "m"},
                                             {"z{}", "m", 0, "up"},
                                             {"e{}_0", "", 0, "attitude against the start, scalar part"},
                                             {"e{}_1", ""},
                                             {"e{}_2", ""},
                                             {"e{}_3", ""}};
  static constexpr Quantity rates[] = {{"x{}_dot", "m/s"}, {"y{}_dot", "m/s"}, {"z{}_dot", "m/s"},
                                       {"wx{}", "rad/s"},  {"wy{}", "rad/s"},  {"wz{}", "rad/s"}};
  static constexpr Quantity holonomic[] = {
      {"hinge{}_x", "m"}, {"hinge{}_y", "m"}, {"hinge{}_z", "m"}, {"hinge{}_a", ""}, {"hinge{}_b", ""}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};

  /// At rest, along the edges of a cube: x, y, z, -x, -y, and the fixed bar back along -z.
  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const double twice_centre[bars][3] = {{1, 0, 0}, {2, 1, 0}, {2, 2, 1}, {1, 2, 2}, {0, 1, 2}};
    for (int bar = 0; bar < bars; ++bar) {
      for (int i = 0; i < 3; ++i) q[7 * bar + i] = p[1] * (0.5 * twice_centre[bar][i]);
      for (int i = 3; i < 7; ++i) q[7 * bar + i] = p[1] * 0.0 + (i == 3 ? 1.0 : 0.0);
      for (int i = 0; i < 6; ++i) w[6 * bar + i] = p[1] * 0.0;
    }
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 35>&) {
    Diagonal<X, 30> inertia;
    for (int bar = 0; bar < bars; ++bar) {
      for (int i = 0; i < 3; ++i) {
        inertia.entry[6 * bar + i] = X(p[0]);
        inertia.entry[6 * bar + 3 + i] = X(moment(p, bar, i));
      }
    }
    return inertia;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 30> force(const P& p, const X&, const Vec<X, 35>&, const Vec<X, 30>& w) {
    Vec<X, 30> force;
    for (int bar = 0; bar < bars; ++bar) {
      const int v = 6 * bar;
      const int o = v + 3;
      force[v] = force[v + 1] = X(0.0);
      force[v + 2] = X(-p[0] * p[3]);
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        force[o + i] = w[o + j] * w[o + k] * (moment(p, bar, j) - moment(p, bar, k));
      }
    }
    return force;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 35> velocity(const P&, const X&, const Vec<X, 35>& q, const Vec<X, 30>& w) {
    Vec<X, 35> rate;
    for (int bar = 0; bar < bars; ++bar) {
      for (int i = 0; i < 3; ++i) rate[7 * bar + i] = w[6 * bar + i];
      const X* const e = &q[7 * bar + 3];
      const X* const o = &w[6 * bar + 3];
      X* const out = &rate[7 * bar + 3];
      out[0] = (e[1] * o[0] + e[2] * o[1] + e[3] * o[2]) * -0.5;
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        out[1 + i] = (e[0] * o[i] + e[1 + j] * o[k] - e[1 + k] * o[j]) * 0.5;
      }
    }
    return rate;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 30> phi(const P& p, const X&, const Vec<X, 35>& q) {
    Vec<X, 30> gaps;
    for (int hinge = 0; hinge <= bars; ++hinge) {  // between bars hinge - 1 and hinge
      const int axis = (hinge + 1) % 3;
      const auto before = end_of(p, q, hinge - 1, 0.5);
      const auto after = end_of(p, q, hinge, -0.5);
      const auto axis_before = turned(q, hinge - 1, axis);
      const auto across = turned(q, hinge, (axis + 1) % 3);
      const auto along = turned(q, hinge, (axis + 2) % 3);
      for (int i = 0; i < 3; ++i) gaps[5 * hinge + i] = before[i] - after[i];
      gaps[5 * hinge + 3] = dot(axis_before, across);
      gaps[5 * hinge + 4] = dot(axis_before, along);
    }
    return gaps;
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 35>& q, const Vec<X, 30>& w) {
    X twice(0.0);
    X height(0.0);
    for (int bar = 0; bar < bars; ++bar) {
      for (int i = 0; i < 3; ++i) {
        twice = twice + w[6 * bar + i] * w[6 * bar + i] * p[0];
        twice = twice + w[6 * bar + 3 + i] * w[6 * bar + 3 + i] * moment(p, bar, i);
      }
      height = height + q[7 * bar + 2];
    }
    return twice * 0.5 + height * (p[0] * p[3]);
  }

 private:
  /// Bar i lies along axis i % 3 of its own frame; the last two bars and the fixed bar point backwards.
  KALABA_FN static constexpr double direction(int bar) { return bar >= 0 && bar < 3 ? 1.0 : -1.0; }

  template <class P>
  KALABA_FN static auto moment(const P& p, int bar, int axis) {
    const auto across = p[2] * p[2];
    return p[0] * (1.0 / 12) * (axis == bar % 3 ? across + across : p[1] * p[1] + across);
  }

  /// Unit vector `axis` of a bar's frame; for the fixed bar (-1 or 5) it is constant.
  template <class X>
  KALABA_FN static Vec<X, 3> turned(const Vec<X, 35>& q, int bar, int axis) {
    Vec<X, 3> unit{X(0.0), X(0.0), X(0.0)};
    unit[axis] = X(1.0);
    if (bar < 0 || bar == bars) return unit;
    const X* const e = &q[7 * bar + 3];
    const X norm = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    const X scale = X(2.0) / norm;
    const int i = axis;
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    unit[i] = X(1.0) - (e[1 + j] * e[1 + j] + e[1 + k] * e[1 + k]) * scale;
    unit[j] = (e[1 + i] * e[1 + j] + e[0] * e[1 + k]) * scale;
    unit[k] = (e[1 + i] * e[1 + k] - e[0] * e[1 + j]) * scale;
    return unit;
  }

  /// End of a bar, at the fraction `part` of its length from its centre.
  template <class P, class X>
  KALABA_FN static Vec<X, 3> end_of(const P& p, const Vec<X, 35>& q, int bar, double part) {
    Vec<X, 3> end{X(0.0), X(0.0), X(0.0)};
    if (bar < 0) return end;  // the fixed bar, from (0, 0, L) to the origin
    if (bar == bars) {
      end[2] = X(1.0) * p[1];
      return end;
    }
    const Vec<X, 3> along = turned(q, bar, bar % 3);
    for (int i = 0; i < 3; ++i) end[i] = q[7 * bar + i] + along[i] * (p[1] * (direction(bar) * part));
    return end;
  }
};

}  // namespace kalaba
