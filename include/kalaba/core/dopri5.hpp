#pragma once

#include "kalaba/core/matrix.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// The coefficients of Dormand and Prince's method of order 5(4) (Hairer, Norsett, Wanner, Solving Ordinary
/// Differential Equations I, table II.5.2; the continuous extension as in their code DOPRI5): of the rate k_column in
/// stage `row` 1 ... 6 (6 is the step itself), in the error estimate (row 7) and in the bend of the continuous
/// extension (row 8).
KALABA_FN constexpr double dopri5_coefficient(int row, int column) {
  constexpr int columns = 7;
  constexpr double table[9 * columns] = {// clang-format off
      0, 0, 0, 0, 0, 0, 0,
      1.0 / 5, 0, 0, 0, 0, 0, 0,
      3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0,
      44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0,
      19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0,
      9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0,
      35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0,
      71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40,
      -12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
      701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0};
                                         // clang-format on
  return table[row * columns + column];
}

/// The method of Dormand and Prince on (q, w). Also its workspace.
template <class X, int NQ, int N>
struct Dopri5 {
  static constexpr int stages = 7;  ///< the last is the first of the next step
  static constexpr int error_row = 7;
  static constexpr int bend_row = 8;

  Vec<X, NQ> q;  ///< of the present stage; at last the state after the step
  Vec<X, N> w;
  Mat<X, stages, NQ> q_dot;  ///< of every stage
  Mat<X, stages, N> w_dot;

  /// One step of length dt from (q0, w0) at t, where the rates are q_dot0, w_dot0. `rate(stage, t)` reads q and w (in
  /// stage 6, the end of the step, it may move them) and leaves its result in rate_q, rate_w.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                      const Vec<X, NQ>& q_dot0, const Vec<X, N>& w_dot0, const Vec<X, NQ>& rate_q,
                      const Vec<X, N>& rate_w, const Rate& rate) {
    team.template each<NQ>([&](int i) KALABA_LAMBDA { q_dot(0, i) = q_dot0[i]; });
    team.template each<N>([&](int i) KALABA_LAMBDA { w_dot(0, i) = w_dot0[i]; });
    for (int stage = 1; stage < stages; ++stage) {
      at_stage(stage, [&](auto here) KALABA_LAMBDA { go<here.stage>(team, dt, q0, w0); });
      rate(stage, fma(X(node(stage)), dt, t));
      at_stage(stage, [&](auto here) KALABA_LAMBDA { take<here.stage>(team, rate_q, rate_w); });
    }
  }

  /// Number i of a row's combination of the stages' rates.
  template <int Row, int Columns, int Size>
  KALABA_FN static X combined(const Mat<X, stages, Size>& rates, int i) {
    if constexpr (Columns == 0) {
      return X(0);
    } else if constexpr (constexpr double factor = dopri5_coefficient(Row, Columns - 1); factor == 0) {
      return combined<Row, Columns - 1>(rates, i);
    } else {
      return fma(X(factor), rates(Columns - 1, i), combined<Row, Columns - 1>(rates, i));
    }
  }

 private:
  KALABA_FN static constexpr double node(int stage) {
    return stage == 1 ? 0.2 : stage == 2 ? 0.3 : stage == 3 ? 0.8 : stage == 4 ? 8.0 / 9 : 1.0;
  }

  template <int Stage>
  struct Here {
    static constexpr int stage = Stage;
  };
  /// Calls work with the stage as a constant: arrays that are indexed by constants alone can live in registers.
  template <class Work>
  KALABA_FN static void at_stage(int stage, const Work& work) {
    switch (stage) {
      case 1:
        return work(Here<1>{});
      case 2:
        return work(Here<2>{});
      case 3:
        return work(Here<3>{});
      case 4:
        return work(Here<4>{});
      case 5:
        return work(Here<5>{});
      default:
        return work(Here<6>{});
    }
  }

  template <int Stage, class Team>
  KALABA_FN void go(const Team& team, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0) {
    team.template each<NQ>([&](int i) KALABA_LAMBDA { q[i] = fma(dt, combined<Stage, Stage>(q_dot, i), q0[i]); });
    team.template each<N>([&](int i) KALABA_LAMBDA { w[i] = fma(dt, combined<Stage, Stage>(w_dot, i), w0[i]); });
  }
  template <int Stage, class Team>
  KALABA_FN void take(const Team& team, const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w) {
    team.template each<NQ>([&](int i) KALABA_LAMBDA { q_dot(Stage, i) = rate_q[i]; });
    team.template each<N>([&](int i) KALABA_LAMBDA { w_dot(Stage, i) = rate_w[i]; });
  }
};

}  // namespace kalaba
