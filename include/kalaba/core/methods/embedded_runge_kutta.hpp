#pragma once

#include "kalaba/core/base/state.hpp"

namespace kalaba {

/// Embedded Runge-Kutta method with an error estimate and a continuous extension of each step; also its workspace. A
/// Tableau defines
///
///   - stages: rates of a step; the last one, at the end of the step, is the first of the next step;
///   - dense_stages: additional rates of the continuous extension, computed only if it is needed;
///   - error_rows, dense_rows: combinations of rates for the error and for the continuous extension;
///   - parts: equal parts of a step in which events are searched; at least the degree of the continuous extension;
///   - node(stage), and coefficient(row, column) of the rate k_column: rows 1 ... stages + dense_stages - 1 give the
///     states of the stages (row stages - 1 is the step itself), then follow the error rows and the dense rows;
///   - error(rms): error of a step of length 1 from the root mean squares of its error rows;
///   - error_exponent, memory_exponent: exponents of the step size control (StepControl);
///   - stability: largest length times |lambda| for which a step is stable, about; stages - 2 is a stage at the end of
///     the step (core/methods/stiffness.hpp).
template <class X, int NQ, int N, class Tableau>
struct EmbeddedRungeKutta {
  using S = State<X, NQ, N>;
  static constexpr int stages = Tableau::stages;
  static constexpr int all_stages = stages + Tableau::dense_stages;
  static constexpr int error_row = all_stages;
  static constexpr int dense_row = error_row + Tableau::error_rows;

  S at;             ///< the current stage; after `step`, the state at its end
  S rates[stages];  ///< rates of the stages, each in its slot

  /// One step of length dt from `start` at t, with the rate `start_dot`. `rate(stage, t)` reads `at` (in the last
  /// stage, the end of the step, it may modify it) and stores its result in `dot`.
  template <class Team, class Rate>
  KALABA_FN void step(const Team& team, const X& t, const X& dt, const S& start, const S& start_dot, const S& dot,
                      const Rate& rate) {
    begin(team, start_dot);
    make_stages<1, stages>(team, t, dt, start, dot, rate);
  }

  /// Computes the additional rates of the continuous extension of that step. `at` is undefined afterwards.
  template <class Team, class Rate>
  KALABA_FN void extend(const Team& team, const X& t, const X& dt, const S& start, const S& dot, const Rate& rate) {
    make_stages<stages, all_stages>(team, t, dt, start, dot, rate);
  }

  /// `step` in parts, for a state that moves along with another step: `begin` takes the rate at the start, `move`
  /// computes the state of a stage, `add` stores the rate of a stage.
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
  /// Slot of a stage's rate: rates of the continuous extension use the slots of rates that it does not need.
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
  /// Calls work with the stage, First ... Last - 1, as a constant: arrays that are indexed only by constants can be
  /// kept in registers.
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
