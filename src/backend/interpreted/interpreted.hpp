#pragma once

#include "backend/interpreted/register_steps.hpp"
#include "kalaba/core/inverse/metric.hpp"
#include "kalaba/core/model/bounded_model.hpp"

namespace kalaba {

/// Model that the thread interprets at present, and its registers of packs.
struct Interpretation {
  const InterpretedModel* model = nullptr;
  void* registers = nullptr;
};
inline constinit thread_local Interpretation interpretation;

/// A metric stored in registers.
template <class X, int N>
struct RegisterMetric {
  MetricKind kind;
  const X* entries;
};

/// Its factor.
template <class X, int N>
struct RegisterFactor {
  MetricKind kind;
  RootedFactor<X, N> rooted;
  CholeskyFactor<X, N> full;

  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RegisterMetric<X, N>& metric) {
    kind = metric.kind;
    if (kind == MetricKind::symmetric) {
      Symmetric<X, N> lower;
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j <= i; ++j) lower.entry(i, j) = metric.entries[i * (i + 1) / 2 + j];
      }
      return full.factorize(team, lower);
    }
    RootedDiagonal<X, N> roots;
    for (int i = 0; i < N; ++i) {
      roots.inverse_root[i] = kind == MetricKind::rooted ? metric.entries[i] : rsqrt(metric.entries[i]);
    }
    return rooted.factorize(team, roots);
  }
  KALABA_FN bool is_diagonal() const { return kind != MetricKind::symmetric; }
  KALABA_FN X solve_entry(int i, const X& x) const { return rooted.solve_entry(i, x); }
  KALABA_FN void solve(X* x) const { kind == MetricKind::symmetric ? full.solve(x) : rooted.solve(x); }
  KALABA_FN void solve_transposed(X* x) const {
    kind == MetricKind::symmetric ? full.solve_transposed(x) : rooted.solve_transposed(x);
  }
  KALABA_FN void multiply(X* x) const { kind == MetricKind::symmetric ? full.multiply(x) : rooted.multiply(x); }
  KALABA_FN void multiply_transposed(X* x) const {
    kind == MetricKind::symmetric ? full.multiply_transposed(x) : rooted.multiply_transposed(x);
  }
};

namespace detail {
template <class X, int N>
struct FactorOf<RegisterMetric<X, N>> {
  using type = RegisterFactor<X, N>;
};

/// A pattern with the tables of the model that the thread interprets.
template <int Rows, int Cols, RowPlan InterpretedModel::*Plan>
struct InterpretedPattern {
  static constexpr bool dense = false;
  static constexpr int rows = Rows;
  static constexpr int cols = Cols;
  static constexpr int count = Rows * Cols;
  static constexpr int envelope = Rows * (Rows - 1) / 2;
  static constexpr int coupled = Rows;
  KALABA_FN static int row_count() { return plan().rows; }
  KALABA_FN static int begin(int r) { return plan().begin.data()[r]; }
  KALABA_FN static int column(int k) { return plan().column.data()[k]; }
  KALABA_FN static int order(int i) { return plan().order.data()[i]; }
  KALABA_FN static int first(int i) { return plan().first.data()[i]; }
  KALABA_FN static int last(int j) { return plan().last.data()[j]; }
  KALABA_FN static int start(int i) { return plan().start.data()[i]; }

 private:
  KALABA_FN static const RowPlan& plan() { return interpretation.model->*Plan; }
};
template <int Rows, int Cols>
struct InterpretedPatterns {
  using MatrixPattern = InterpretedPattern<Rows, Cols, &InterpretedModel::matrix>;
  using WeightedMatrixPattern = InterpretedPattern<Rows, Cols, &InterpretedModel::weighted>;
  using WeightedPositionPattern = InterpretedPattern<Rows, Cols, &InterpretedModel::weighted_positions>;
};
template <int Cols>
struct InterpretedPatterns<0, Cols> {};
template <int Cols>
struct InterpretedPatterns<1, Cols> {};

/// Tables of quantities, of which the core uses the number of rows.
template <int Rows>
struct BoundedRows {
  static constexpr Quantity holonomic[Rows] = {};
};
template <>
struct BoundedRows<0> {};
}  // namespace detail

/// Terms of a stage, in the registers that the instructions wrote.
template <class X, int N>
struct RegisterTerms {
  struct Matrix {
    const X* data;
  };
  const X* velocity;
  RegisterMetric<X, N> metric;
  const X* force;
  Matrix matrix;
  const X* position;
  const X* rate;
  const X* b;
};

/// Members of SingleRow, in registers.
template <class X>
struct RegisterRow {
  const X* velocity;
  const X* free;
  const X* column;
  const X* shift;
  const X* position;
  const X* rate;
  const X& defect;
  const X& gram;
};

/// Model interface for the core, for any model whose extents are within bounds: State coordinates and as many rates,
/// Rows constraints (RegisterMap documents the padding), Parameters, Invariants. It evaluates the model in
/// `interpretation`.
template <int State, int Rows, int Parameters, int Invariants>
struct Interpreted : detail::BoundedRows<Rows>, detail::InterpretedPatterns<Rows, State> {
  static constexpr RegisterMap map = {State, Rows, Parameters, Invariants};
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity parameters[Parameters] = {};
  static constexpr Quantity coordinates[State] = {};
  static constexpr Quantity rates[State] = {};
  static constexpr Invariant invariants[Invariants] = {};
  static constexpr int reactions = RegisterMap::most_reactions;
  static constexpr int contacts = map.most_contacts();

  static const InterpretedModel& model() { return *interpretation.model; }
  static bool is_hamiltonian() { return model().is_hamiltonian; }
  static int holonomic_rows() { return model().holonomic; }
  static bool has_non_ideal_force() { return !model().non_ideal.empty(); }
  static bool needs_multipliers() { return model().needs_multipliers; }
  static int state_numbers() { return model().coordinates + model().rates; }

  /// Returns the registers, with the parameters and all numbers that depend on them.
  template <class X>
  struct Prepared {
    X* at;
  };
  template <class X>
  static Prepared<X> prepare(const Vec<X, Parameters>& p) {
    X* const at = static_cast<X*>(interpretation.registers);
    for (int i = 0; i < model().parameters; ++i) at[map.parameters() + i] = p[i];
    carry_out(model(), model().prepare, at);
    return {at};
  }

  static bool states_single_row() { return !model().row.empty(); }
  template <class X>
  requires(Rows == 1) static RegisterRow<X> single_row(const Prepared<X>& p, const X& t, const Vec<X, State>& q,
                                                       const Vec<X, State>& w) {
    return found_row(p, model().row, t, q, w);
  }
  template <class X>
  requires(Rows == 1) static RegisterRow<X> constraint_row(const Prepared<X>& p, const X& t, const Vec<X, State>& q,
                                                           const Vec<X, State>& w) {
    return found_row(p, model().constraint_row, t, q, w);
  }
  template <class X>
  static RegisterTerms<X, State> terms(const Prepared<X>& p, const X& t, const Vec<X, State>& q,
                                       const Vec<X, State>& w) {
    return found(p, model().stage, t, q, w);
  }
  template <class X>
  static RegisterTerms<X, State> constraint_terms(const Prepared<X>& p, const X& t, const Vec<X, State>& q,
                                                  const Vec<X, State>& w) {
    return found(p, model().constraint_stage, t, q, w);
  }
  /// Product of dK/dw and a correction of w.
  template <class X>
  static Vec<X, State> moved_by(const Prepared<X>& p, const X& t, const Vec<X, State>& q, const Vec<X, State>& w,
                                const Vec<X, State>& correction) {
    if (model().velocity_is_w) return correction;
    return along<State>(p, model().shift, t, q, w, correction, model().coordinates);
  }
  template <class X>
  static Vec<X, State> non_ideal(const Prepared<X>& p, const X& t, const Vec<X, State>& q, const Vec<X, State>& w,
                                 const Vec<X, State>& ideal_force, const Vec<X, Rows>& multipliers) {
    if (needs_multipliers()) {
      for (int r = 0; r < model().constraints; ++r) p.at[map.multipliers() + r] = multipliers[r];
    }
    return along<State>(p, model().non_ideal, t, q, w, ideal_force, model().rates);
  }
  static bool is_holonomic() { return model().holonomic == model().constraints; }
  /// Sets the rows of A F^-T that do not belong to phi to zero.
  template <class X>
  static void keep_holonomic(Mat<X, Rows, State>& rows) {
    for (int r = model().holonomic; r < model().constraints; ++r) {
      for (int i = 0; i < State; ++i) rows(r, i) = X(0);
    }
  }
  template <class X>
  static X gain(const Prepared<X>& p) {
    return p.at[map.gains()];
  }
  template <class X>
  static X position_gain(const Prepared<X>& p) {
    return p.at[map.gains() + 1];
  }
  template <class X>
  static X energy(const Prepared<X>& p, const X& t, const Vec<X, State>& q, const Vec<X, State>& w) {
    return results<1>(p, model().energy, t, q, w, 1)[0];
  }
  template <class X>
  static MaskOf<X> valid(const Prepared<X>& p, const X& t, const Vec<X, State>& q, const Vec<X, State>& w) {
    if (model().valid.empty()) return X(0) < X(1);
    return X(0) < results<1>(p, model().valid, t, q, w, 1)[0];
  }
  template <class X>
  static Vec<X, Invariants> invariant(const Prepared<X>& p, const X& t, const Vec<X, State>& q,
                                      const Vec<X, State>& w) {
    return results<Invariants>(p, model().invariant, t, q, w, model().invariants);
  }
  template <class X>
  static Vec<X, 2 * contacts> contact_gaps(const Prepared<X>& p, const X& t, const Vec<X, State>& q,
                                           const Vec<X, State>& w) {
    return results<2 * contacts>(p, model().contact_gaps, t, q, w, 2 * contacts);
  }
  template <class X>
  static Vec<X, 2 * contacts> contact_terms(const Prepared<X>& p, const X& t, const Vec<X, State>& q,
                                            const Vec<X, State>& w) {
    return results<2 * contacts>(p, model().contact_terms, t, q, w, 2 * contacts);
  }
  template <class X>
  static Vec<X, reactions> reaction(const Prepared<X>& p, const X& t, const Vec<X, State>& q, const Vec<X, State>& w,
                                    const Vec<X, State>& rate, const Vec<X, Rows>& multipliers) {
    if (model().reaction.empty()) return {};
    for (int r = 0; r < model().constraints; ++r) p.at[map.multipliers() + r] = multipliers[r];
    return along<reactions>(p, model().reaction, t, q, w, rate, model().reactions);
  }

 private:
  template <class X>
  KALABA_FN static void put(X* at, const X& t, const Vec<X, State>& q, const Vec<X, State>& w) {
    KALABA_UNROLL
    for (int i = 0; i < State; ++i) at[map.q() + i] = q[i];
    KALABA_UNROLL
    for (int i = 0; i < State; ++i) at[map.w() + i] = w[i];
    at[map.t()] = t;
  }
  template <class X>
  KALABA_FN static RegisterTerms<X, State> found(const Prepared<X>& p, const RegisterSteps& steps, const X& t,
                                                 const Vec<X, State>& q, const Vec<X, State>& w) {
    X* const at = p.at;
    put(at, t, q, w);
    carry_out(model(), steps, at);
    return {at + map.velocity(), {model().metric, at + map.metric()},
            at + map.force(),    {at + map.matrix()},
            at + map.position(), at + map.rate(),
            at + map.b()};
  }
  template <class X>
  KALABA_FN static RegisterRow<X> found_row(const Prepared<X>& p, const RegisterSteps& steps, const X& t,
                                            const Vec<X, State>& q, const Vec<X, State>& w) {
    X* const at = p.at;
    put(at, t, q, w);
    carry_out(model(), steps, at);
    return {at + map.row_velocity(), at + map.row_free(), at + map.row_column(), at + map.row_shift(),
            at + map.row_position(), at + map.row_rate(), at[map.row_defect()],  at[map.row_gram()]};
  }
  /// Returns the first `count` results of the instructions, followed by zeros.
  template <int Count, class X>
  static Vec<X, Count> results(const Prepared<X>& p, const RegisterSteps& steps, const X& t, const Vec<X, State>& q,
                               const Vec<X, State>& w, int count) {
    put(p.at, t, q, w);
    carry_out(model(), steps, p.at);
    Vec<X, Count> values;
    for (int i = 0; i < Count; ++i) values[i] = i < count ? p.at[map.results() + i] : X(0);
    return values;
  }
  template <int Count, class X>
  static Vec<X, Count> along(const Prepared<X>& p, const RegisterSteps& steps, const X& t, const Vec<X, State>& q,
                             const Vec<X, State>& w, const Vec<X, State>& direction, int count) {
    for (int i = 0; i < State; ++i) p.at[map.along() + i] = direction[i];
    return results<Count>(p, steps, t, q, w, count);
  }
};

}  // namespace kalaba
