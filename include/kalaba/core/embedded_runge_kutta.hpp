#pragma once

#include "kalaba/core/matrix.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// An embedded Runge-Kutta method on (q, w), whose error is estimated and whose steps are extended to all times within
/// them. Also its workspace. A Tableau states
///
///   - stages: rates of a step, the last one at its end: it is the first of the next step;
///   - dense_stages: rates more that the continuous extension takes, made where it is asked for;
///   - error_rows, dense_rows: combinations of rates of which the error and the continuous extension are made;
///   - node(stage), and coefficient(row, column) of the rate k_column: rows 1 ... stages + dense_stages - 1 make the
///     stages' states (row stages - 1 is the step itself), then come the error rows and the dense rows;
///   - error(rms): the error of a step of length 1 from the root mean squares of its error rows;
///   - error_exponent, memory_exponent: of the step's control (StepControl).
template <class X, int NQ, int N, class Tableau>
struct EmbeddedRungeKutta {
  static constexpr int stages = Tableau::stages;
  static constexpr int all_stages = stages + Tableau::dense_stages;
  static constexpr int error_row = all_stages;
  static constexpr int dense_row = error_row + Tableau::error_rows;

  Vec<X, NQ> q;  ///< of the present stage; behind `step` the state after it
  Vec<X, N> w;
  Mat<X, stages, NQ> q_dot;  ///< of the stages, each in its slot
  Mat<X, stages, N> w_dot;

  /// One step of length dt from (q0, w0) at t, where the rates are q_dot0, w_dot0. `rate(stage, t)` reads q and w (in
  /// the last stage, the end of the step, it may move them) and leaves its result in rate_q, rate_w.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                      const Vec<X, NQ>& q_dot0, const Vec<X, N>& w_dot0, const Vec<X, NQ>& rate_q,
                      const Vec<X, N>& rate_w, const Rate& rate) {
    begin(team, q_dot0, w_dot0);
    make_stages<1, stages>(team, t, dt, q0, w0, rate_q, rate_w, rate);
  }

  /// The rates that the continuous extension of that step takes beside the step's own. Leaves q and w anywhere.
  template <class Team, class Rate>
  KALABA_FN void extend(const Team& team, const X& t, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                        const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w, const Rate& rate) {
    make_stages<stages, all_stages>(team, t, dt, q0, w0, rate_q, rate_w, rate);
  }

  /// The same in parts, for what moves along with another step: the rates where it begins, each stage's state, and the
  /// rates there.
  template <class Team>
  KALABA_FN void begin(const Team& team, const Vec<X, NQ>& q_dot0, const Vec<X, N>& w_dot0) {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA { q_dot(0, i) = q_dot0[i]; });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { w_dot(0, i) = w_dot0[i]; });
  }
  template <int First = 1, int Last = all_stages, class Team>
  KALABA_FN void move(const Team& team, int stage, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0) {
    at_stage<First, Last>(stage, [&](auto here) KALABA_LAMBDA { go<here.stage>(team, dt, q0, w0); });
  }
  template <int First = 1, int Last = all_stages, class Team>
  KALABA_FN void add(const Team& team, int stage, const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w) {
    at_stage<First, Last>(stage, [&](auto here) KALABA_LAMBDA { take<here.stage>(team, rate_q, rate_w); });
  }

  /// Number i of a row's combination of the stages' rates.
  template <int Row, int Columns, int Size>
  KALABA_FN static X combined(const Mat<X, stages, Size>& rates, int i) {
    if constexpr (Columns == 0) {
      return X(0);
    } else if constexpr (constexpr double factor = Tableau::coefficient(Row, Columns - 1); factor == 0) {
      return combined<Row, Columns - 1>(rates, i);
    } else {
      return fma(X(factor), rates(slot(Columns - 1), i), combined<Row, Columns - 1>(rates, i));
    }
  }

 private:
  /// Where a stage's rate lies: those of the continuous extension take the room of rates that it does not need.
  KALABA_FN static constexpr int slot(int stage) { return stage < stages ? stage : stage - stages + 1; }
  KALABA_FN static constexpr bool slots_are_free() {
    for (int row = stages; row < dense_row + Tableau::dense_rows; ++row) {
      for (int stage = 1; stage <= Tableau::dense_stages; ++stage) {
        if (Tableau::coefficient(row, stage) != 0) return false;
      }
    }
    return true;
  }
  static_assert(slots_are_free(), "the continuous extension needs a rate in whose room its own are kept");

  template <int Stage>
  struct Here {
    static constexpr int stage = Stage;
  };
  /// Calls work with the stage, First ... Last - 1, as a constant: arrays that are indexed by constants alone can live
  /// in registers.
  template <int First, int Last, class Work>
  KALABA_FN static void at_stage(int stage, const Work& work) {
    if constexpr (First + 1 < Last) {
      if (stage != First) return at_stage<First + 1, Last>(stage, work);
    }
    work(Here<First>{});
  }

  template <int First, int Last, class Team, class Rate>
  KALABA_FN void make_stages(const Team& team, const X& t, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0,
                             const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w, const Rate& rate) {
    for (int stage = First; stage < Last; ++stage) {
      move<First, Last>(team, stage, dt, q0, w0);
      rate(stage, fma(X(Tableau::node(stage)), dt, t));
      add<First, Last>(team, stage, rate_q, rate_w);
    }
  }

  template <int Stage, class Team>
  KALABA_FN void go(const Team& team, const X& dt, const Vec<X, NQ>& q0, const Vec<X, N>& w0) {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA { q[i] = fma(dt, combined<Stage, Stage>(q_dot, i), q0[i]); });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { w[i] = fma(dt, combined<Stage, Stage>(w_dot, i), w0[i]); });
  }
  template <int Stage, class Team>
  KALABA_FN void take(const Team& team, const Vec<X, NQ>& rate_q, const Vec<X, N>& rate_w) {
    team.template for_each<NQ>([&](int i) KALABA_LAMBDA { q_dot(slot(Stage), i) = rate_q[i]; });
    team.template for_each<N>([&](int i) KALABA_LAMBDA { w_dot(slot(Stage), i) = rate_w[i]; });
  }
};

}  // namespace kalaba
