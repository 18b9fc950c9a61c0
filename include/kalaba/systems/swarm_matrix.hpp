#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// N agents in the plane held to q' = -sum grad G, a first-order flocking law, as a constraint [ZCZD section 8.2].
template <int N>
struct SwarmMatrix {
  static constexpr const char* name = "swarm_matrix";
  static constexpr const char* summary =
      "a few agents of `swarm`, with A and b as matrices: its oracle, on every backend";
  static constexpr const char* source = "Zhao, Chen, Zhao, Dong 2018, section 8.2";
  static constexpr const char* equations =
      "beta_i = q_i' + sum_j (q_i - q_j) (1 - c / r_ij) = 0\n"
      "A = I, b = -d(sum grad G)/dt - kappa beta";
  static constexpr const char* note =
      "Without feedback (kappa = 0) beta' = 0: |beta| stays at 46.2898 from the paper's start. Figure 8 shows |beta|\n"
      "falling, which needs kappa > 0 (5 reproduces it). Eq. 64 misprints the first exponent of its force.";
  static constexpr const char* structure = "agents";  // the structural parameter
  static constexpr int copies = N;
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 2.0, "mass of an agent"},
                                            {"c", "m", 0.5, "distance at which a pair is at rest"},
                                            {"kappa", "1/s", 0.0, "feedback on beta"}};
  static constexpr Quantity coordinates[] = {{"x{}", "m"}, {"y{}", "m"}};
  static constexpr Quantity rates[] = {{"x{}_dot", "m/s"}, {"y{}_dot", "m/s"}};
  static constexpr Quantity nonholonomic[] = {{"beta_x{}", "m/s"}, {"beta_y{}", "m/s"}};
  static constexpr Invariant invariants[] = {
      {"beta_norm", "m/s", Invariance::constant, "|beta|: constant without feedback, falls as exp(-kappa t) with it"}};
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Stabilization stabilization = Stabilization::none();

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    constexpr double place[5][2] = {{0, 0}, {2, 9}, {5, 8}, {6, 4}, {5, 0}};
    constexpr double speed[5] = {0.1, 0.2, 0.3, 0.3, 0.3};
    for (int i = 0; i < N; ++i) {
      // Additional agents, beyond the paper's five, start on a sunflower spiral around them.
      const double radius = 4.0 * sqrt(static_cast<double>(i));
      const double angle = 2.399963229728653 * i;
      q[2 * i] = i < 5 ? place[i % 5][0] : radius * cos(angle);
      q[2 * i + 1] = i < 5 ? place[i % 5][1] : radius * sin(angle);
      w[2 * i] = speed[i < 5 ? i : 4];
      w[2 * i + 1] = w[2 * i];
    }
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2 * N>&) {
    Diagonal<X, 2 * N> mass;
    for (int i = 0; i < 2 * N; ++i) mass.entry[i] = X(p[0]);
    return mass;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2 * N> force(const P&, const X&, const Vec<X, 2 * N>&, const Vec<X, 2 * N>&) {
    Vec<X, 2 * N> none;
    for (int i = 0; i < 2 * N; ++i) none[i] = X(0.0);
    return none;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2 * N> psi(const P& p, const X&, const Vec<X, 2 * N>& q, const Vec<X, 2 * N>& w) {
    Vec<X, 2 * N> beta = w;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < i; ++j) {
        const X dx = q[2 * i] - q[2 * j];
        const X dy = q[2 * i + 1] - q[2 * j + 1];
        const X pull = 1.0 - p[1] / sqrt(dx * dx + dy * dy);
        beta[2 * i] = beta[2 * i] + dx * pull;
        beta[2 * i + 1] = beta[2 * i + 1] + dy * pull;
        beta[2 * j] = beta[2 * j] - dx * pull;
        beta[2 * j + 1] = beta[2 * j + 1] - dy * pull;
      }
    }
    return beta;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P& p, const X& t, const Vec<X, 2 * N>& q, const Vec<X, 2 * N>& w) {
    const Vec<X, 2 * N> beta = psi(p, t, q, w);
    return {sqrt(dot(beta, beta))};
  }

  template <class P>
  KALABA_FN static auto gain(const P& p) {
    return p[2];
  }
};

}  // namespace kalaba
