#pragma once

#include "kalaba/core/state.hpp"

namespace kalaba {

/// An embedded Runge-Kutta method, whose error is estimated and whose steps are extended to all times within
/// them. Also its workspace. A Tableau states
///
///   - stages: rates of a step, the last one at its end: it is the first of the next step;
///   - dense_stages: rates more that the continuous extension takes, made where it is asked for;
///   - error_rows, dense_rows: combinations of rates of which the error and the continuous extension are made;
///   - parts: equal parts of a step between which events are looked for, no fewer than the degree of its extension;
///   - node(stage), and coefficient(row, column) of the rate k_column: rows 1 ... stages + dense_stages - 1 make the
///     stages' states (row stages - 1 is the step itself), then come the error rows and the dense rows;
///   - error(rms): the error of a step of length 1 from the root mean squares of its error rows;
///   - error_exponent, memory_exponent: of the step's control (StepControl).
template <class X, int NQ, int N, class Tableau>
struct EmbeddedRungeKutta {
  using S = State<X, NQ, N>;
  static constexpr int stages = Tableau::stages;
  static constexpr int all_stages = stages + Tableau::dense_stages;
  static constexpr int error_row = all_stages;
  static constexpr int dense_row = error_row + Tableau::error_rows;

  S at;             ///< the present stage; behind `step` the state after it
  S rates[stages];  ///< of the stages, each in its slot

  /// One step of length dt from `start` at t, where the rate is `start_dot`. `rate(stage, t)` reads `at` (in the last
  /// stage, the end of the step, it may move it) and leaves its result in `dot`.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const S& start, const S& start_dot, const S& dot,
                      const Rate& rate) {
    begin(team, start_dot);
    make_stages<1, stages>(team, t, dt, start, dot, rate);
  }

  /// The rates that the continuous extension of that step takes beside the step's own. Leaves `at` anywhere.
  template <class Team, class Rate>
  KALABA_FN void extend(const Team& team, const X& t, const X& dt, const S& start, const S& dot, const Rate& rate) {
    make_stages<stages, all_stages>(team, t, dt, start, dot, rate);
  }

  /// The same in parts, for what moves along with another step: the rate where it begins, each stage's state, and the
  /// rate there.
  template <class Team>
  KALABA_FN void begin(const Team& team, const S& start_dot) {
    copy(team, start_dot, rates[0]);
  }
  template <int First = 1, int Last = all_stages, class Team>
  KALABA_FN void move(const Team& team, int stage, const X& dt, const S& start) {
    at_stage<First, Last>(stage, [&](auto here) KALABA_LAMBDA { go<here.stage>(team, dt, start); });
  }
  template <int First = 1, int Last = all_stages, class Team>
  KALABA_FN void add(const Team& team, int stage, const S& dot) {
    at_stage<First, Last>(stage, [&](auto here) KALABA_LAMBDA { copy(team, dot, rates[slot(here.stage)]); });
  }

  /// Number i of a row's combination of the stages' rates.
  template <int Row, int Columns, class Of>
  KALABA_FN X combined(Of of, int i) const {
    if constexpr (Columns == 0) {
      return X(0);
    } else if constexpr (constexpr double factor = Tableau::coefficient(Row, Columns - 1); factor == 0) {
      return combined<Row, Columns - 1>(of, i);
    } else {
      return fma(X(factor), of(rates[slot(Columns - 1)])[i], combined<Row, Columns - 1>(of, i));
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
  KALABA_FN void make_stages(const Team& team, const X& t, const X& dt, const S& start, const S& dot,
                             const Rate& rate) {
    for (int stage = First; stage < Last; ++stage) {
      move<First, Last>(team, stage, dt, start);
      rate(stage, fma(X(Tableau::node(stage)), dt, t));
      add<First, Last>(team, stage, dot);
    }
  }

  template <int Stage, class Team>
  KALABA_FN void go(const Team& team, const X& dt, const S& start) {
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      of(at)[i] = fma(dt, this->template combined<Stage, Stage>(of, i), of(start)[i]);
    });
  }
};

}  // namespace kalaba
