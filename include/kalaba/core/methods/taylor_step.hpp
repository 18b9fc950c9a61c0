#pragma once

#include "kalaba/core/base/cubic.hpp"
#include "kalaba/core/methods/kept_step.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Constants of the Taylor method, in the form that the adaptive loop reads of an embedded Runge-Kutta method.
struct TaylorTableau {
  static constexpr int most_order = facts_of(Integrator::taylor).order;
  static constexpr int least_order = 6;
  static constexpr int stages = 1;
  static constexpr int dense_stages = 0;
  static constexpr int dense_rows = most_order - 1;
  static constexpr int parts = 16;  ///< number of parts of a step in which events are searched
  static constexpr int error_exponent = 16;
  static constexpr int memory_exponent = 0;

  /// Order for a relative tolerance: about 2 - 0.65 ln(tolerance). Jorba and Zou (Experimental Mathematics 14 (2005)
  /// 99) derive 1 - ln(tolerance)/2 for a cost that is quadratic in the order; here the factorization of a step and
  /// parts that are linear in the order favour longer steps.
  KALABA_FN static int order_for(double tolerance) {
    constexpr double per_order = 0.2147;  // exp(-1/0.65)
    int order = 2;
    for (double reached = 1; tolerance < reached && order < most_order; ++order) reached *= per_order;
    return order < least_order ? least_order : order;
  }
};

/// Coefficients of the last step: x = sum of x[k] s^k, s the time from its beginning in units of its length: with those
/// of the time in s, the powers of short or long times would leave the range of numbers.
template <class X, int NQ, int N>
struct TaylorStep {
  static constexpr int stages = TaylorTableau::stages;
  static constexpr int orders = TaylorTableau::most_order + 1;
  using S = State<X, NQ, N>;

  S at;             ///< end of the step, on the constraints
  S rates[stages];  ///< unused by steps of this method
  S x[orders + 1];  ///< q has one order more than w
};

/// Last accepted step of a member that Taylor series advance; the polynomial is the continuous extension.
template <class X, int NQ, int N>
struct KeptStep<X, NQ, N, TaylorTableau> {
  using S = State<X, NQ, N>;
  using Step = TaylorStep<X, NQ, N>;
  static constexpr int numbers = (4 + TaylorTableau::dense_rows) * (NQ + N);

  S after, dot_after;  ///< end of the last step; its rates, of members that may change
  S x[Step::orders];   ///< coefficients of the last step

  template <class Team>
  KALABA_FN void begin(const Team& team, const MaskOf<X>& fresh, const S& start, const S& start_dot) {
    copy_where(team, fresh, start, after);
    copy_where(team, fresh, start_dot, dot_after);
  }
  /// State at the beginning of the last step.
  KALABA_FN const S& beginning() const { return x[0]; }
  /// Computes dot_after in some lanes, from the continuous extension of a step of this length.
  template <class Team>
  KALABA_FN void find_end_rates(const Team& team, const MaskOf<X>& where, const X& length) {
    put_rates_at(team, {where, X(1), X(0), length}, dot_after);
  }
  /// Sets `dot`, in the lanes inside the step, to the rates of the continuous extension: those on the side of a jump on
  /// which the step is.
  template <class Team>
  KALABA_FN void put_rates_at(const Team& team, const PlaceInStep<X>& place, S& dot) const {
    const X per_length = X(1) / place.length;
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      X sum(0);
      for (int k = Step::orders - 1; k >= 1; --k) sum = fma(sum, place.along, X(k) * of(x[k])[i]);
      of(dot)[i] = select(place.inside, sum * per_length, of(dot)[i]);
    });
  }
  KALABA_FN void fill_end(const MaskOf<X>& where, const X& value) { fill_where(Solo{}, where, value, after); }
  template <class Team>
  KALABA_FN void keep_step(const Team& team, const MaskOf<X>& accepted, const Step& step) {
    copy_where(team, accepted, step.at, after);
  }
  template <class Team>
  KALABA_FN void extend(const Team& team, const MaskOf<X>& wanted, const Step& step, const MaskOf<X>& /*cubic*/) {
    for (int k = 0; k < Step::orders; ++k) copy_where(team, wanted, step.x[k], x[k]);
  }
  /// As KeptStep of the Runge-Kutta methods has it.
  template <class Team>
  KALABA_FN void bend(const Team& team, const MaskOf<X>& where, const X& /*length*/, const S& bulge) {
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X added = select(where, of(bulge)[i], X(0));
      of(x[2])[i] = of(x[2])[i] + added;
      of(x[3])[i] = fma(X(-2), added, of(x[3])[i]);
      of(x[4])[i] = of(x[4])[i] + added;
    });
  }
  template <class Team>
  KALABA_FN void put_at(const Team& team, const MaskOf<X>& alive, const PlaceInStep<X>& place, S& state) const {
    const X& s = place.along;
    for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA {
      X sum = of(x[Step::orders - 1])[i];
      for (int k = Step::orders - 2; k >= 0; --k) sum = fma(sum, s, of(x[k])[i]);
      of(state)[i] = select(alive, select(place.inside, sum, of(after)[i]), of(state)[i]);
    });
  }
  template <class Visit>
  KALABA_FN void for_each_number(const Visit& visit) {
    visit(after.q.data, NQ);
    visit(after.w.data, N);
    visit(dot_after.q.data, NQ);
    visit(dot_after.w.data, N);
  }
  template <class Visit>
  KALABA_FN void for_each_within(const Visit& visit) {
    for (S& each : x) {
      visit(each.q.data, NQ);
      visit(each.w.data, N);
    }
  }
};

}  // namespace kalaba
