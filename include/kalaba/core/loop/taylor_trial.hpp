#pragma once

#include "kalaba/core/loop/adaptive_trial.hpp"
#include "kalaba/core/loop/taylor_columns.hpp"

namespace kalaba {

/// Trial of one step by the Taylor series of the motion, for one worker a member. The step is as long as the last two
/// terms of the series allow, and its end is projected onto the constraints. The step is rejected if the slope of the
/// series at the end differs from the rate there, which is the first of the next step: a force may change so sharply
/// within the step that the coefficients at its beginning do not show the change. Near singular positions the steps are
/// those of the Runge-Kutta methods (MemberWorkspace::pass).
template <class M, class X, template <class, int, int> class Inverse>
struct TaylorTrial : StepTrial<M, X, Inverse, TaylorTableau> {
  using Base = StepTrial<M, X, Inverse, TaylorTableau>;
  using Base::columns_of_step;
  using Base::integrator;
  using Base::judge;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::steps_near;
  using Base::tangents;
  using typename Base::Mask;
  using typename Base::P;
  using typename Base::PersistentState;
  using typename Base::RungeKutta;
  using typename Base::S;
  using typename Base::Trial;

  static constexpr double safety = 0.95;
  /// Largest error of the slope at the end of a step, times its length, in the root mean square in units of the
  /// tolerances. The last term of a smooth motion's series has at most about this error.
  static constexpr double most_slope_error = 16;

  using ColumnStep = AdaptiveColumnStep<M, X, TaylorTableau>;
  using Series = TaylorSeries<M, X, Inverse>;
  using SeriesColumns = typename TaylorColumnsOf<M, X, Inverse>::type;
  Series series;
  SeriesColumns columns;  ///< of the sensitivities
  Mask is_ready;          ///< lanes in which `rate` is that at the beginning of the next step
  X ready_code;           ///< status code of its evaluation

  /// Must be called before a step if `rate` may have served another purpose since the last step.
  KALABA_FN void forget_rate() { is_ready = X(1) < X(0); }

  /// The series of the first step limits its length.
  KALABA_FN static double first_length(const TimeGrid& time) { return time.end - time.start; }

  /// Computes a step of at most trial.length in the integrator's workspace, and shortens trial.length to its own.
  template <class Team>
  KALABA_FN void try_step(const Team& team, PersistentState& member, const P& p, const Method& method,
                          const Mask& tried, Trial& trial) {
    static_assert(Team::size == 1, "Taylor series take one worker a member");
    if (any(both(tried, !is_ready))) {
      ready_code = evaluate(team, method, p, member.time, member.after, member.rank, tried);
    }
    X code = ready_code;
    this->count_svd_stage(team, member, tried);
    const X rank = this->rank_found();
    Passage<X> passage{};
    if constexpr (Base::can_pass) passage.begin(rate.inverse);
    const int order = TaylorTableau::order_for(method.relative_tolerance);
    const X guess = guessed_length(member, trial.length);
    const X unit = power_of_2_at(guess);
    const S& start = member.after;
    if constexpr (Base::differentiates) {
      copy(Solo{}, member.of_columns.after, columns_of_step.at);
      columns.begin(rate, tangents, method, member.time, start.q, start.w, columns_of_step.at, unit,
                    columns_of_step.integrator);
    }
    noinline_call(
        [&]() KALABA_LAMBDA { series.compute(team, rate, method, p, member.time, start, order, unit, integrator); });
    if constexpr (Base::differentiates) {
      noinline_call([&]() KALABA_LAMBDA {
        columns.compute(team, rate, series, tangents, method, member.time, order, integrator,
                        columns_of_step.integrator);
      });
    }
    code = with_status(code, series.open, Status::not_converged);
    if constexpr (Base::Rate::servo) {  // otherwise the forces of the actuators are not unique
      code = with_status(code, rank < X(Base::Rate::directions), Status::singular_constraints);
    }
    X length = length_for(member, method, order, guess, trial.length);
    if constexpr (Base::differentiates) length = min_of(length, length_for_columns(method, order, length));
    code = with_status(code, !all_finite(integrator.x[1]), Status::non_finite);
    if constexpr (Series::F::margins > 0) length = length_for_margins(method, order, length);
    const Mask diverges = both(tried, !(X(least_lengths) * trial.least <= length));
    if (any(diverges)) keep_first_terms(diverges);
    length = select(diverges, trial.length, length);
    const Mask is_long = both(X(2) * member.length < length, length < largest_step_of(method));
    const Mask examined = either(diverges, both(tried, is_long));
    [[maybe_unused]] typename Series::Change change = {length, X(0), X(1), X(1) < X(0)};
    if constexpr (Series::F::margins > 0) {
      const auto found = series.first_change(order, length);
      change.time = select(diverges, length, found.time);
      change.margin = found.margin;
      change.speed = found.speed;
      change.at_once = both(!diverges, found.at_once);
      length = end_at_change(member, change.time, length, trial, tried, code);
    }
    const Mask shorter = both(tried, length < trial.length);
    trial.length = select(shorter, length, trial.length);
    trial.last = both(trial.last, !shorter);
    code = with_status(code, both(both(!trial.last, !trial.cut), trial.length < trial.least), Status::step_too_small);
    const X end = select(trial.last, trial.end, member.time_after(trial.length));  // the start of the next step
    const X units = trial.length * series.per_unit;
    move(units, order, integrator);
    if constexpr (Base::differentiates) {
      move(units, order, columns_of_step.integrator);
      copy(Solo{}, columns_of_step.integrator.at, columns_of_step.at);
    }
    Mask torn = X(1) < X(0);
    code = this->project_and_check(team, method, RankRule<X>(method.rank_tolerance), p, end, integrator.at, tried, code,
                                   columns_of_step.at, {trial.length, rank, &member.after.w, &torn});
    X error(0);
    if (any(examined)) {
      double place = 0;
      for (int i = 0; i < places_within; ++i) {
        place += place < 0.381966 ? 0.618034 : -0.381966;  // by the golden ratio
        const X found =
            compare_slopes(team, member, p, method, end, rank, examined, trial.length, X(place), order, code);
        error = select(examined, max_of(error, found), error);
      }
    }
    constexpr double before_change = 63.0 / 64;
    const X along = select(trial.cut, X(before_change), X(1));
    error = max_of(error, compare_slopes(team, member, p, method, end, rank, tried, trial.length, along, order, code));
    if constexpr (Series::F::margins > 0) error = select(both(trial.cut, change.at_once), X(0), error);
    if constexpr (Base::can_pass) {
      if (passage.in_sight()) passage.note(rate.inverse);
      passage.forget_unseen();
    }
    this->look_ahead(team, member, method, tried, passage);
    is_ready = both(both(tried, !trial.cut), both(code == X(0), error == X(0)));
    if constexpr (Base::differentiates) {
      error = max_of(error, compare_slopes_of_columns(team, member, p, method, end, trial.length, is_ready));
      is_ready = both(is_ready, error == X(0));
      if (this->noise_is_known) forget_rate();
    }
    if constexpr (Series::F::margins > 0) {
      Mask passes = trial.cut;
      if constexpr (Base::differentiates) {
        const Mask whole = both(both(tried, code == X(0)), !trial.cut);
        if (any(whole)) {
          passes = either(passes, series.change_at_end(p, end, integrator.at, units, order, whole, change));
        }
      }
      const Mask jumps = Base::differentiates ? passes : both(trial.cut, change.at_once);
      if (any(jumps)) {
        pass_change(team, member, p, method, end, trial, passes, change);
        forget_rate();
      }
    }
    if constexpr (Base::differentiates) {
      copy(Solo{}, columns_of_step.at, columns_of_step.integrator.at);
    }
    judge(trial, tried, code, error, rank);
  }

  /// Like try_step near a singular position: computes the step in parts (StepTrial::pass_in_parts).
  template <class Team>
  KALABA_NOINLINE void try_past(const Team& team, PersistentState& member, const P& p, const Method& method,
                                const Mask& near_singular, Trial& trial) {
    const auto find_rates = [&](const X& end, const S& made, X& code) KALABA_LAMBDA {
      code = this->rates_at_ends(team, member, p, method, end, made, integrator.rates[0], code);
      keep_cubic(team, member, near_singular, trial.length, made);
    };
    this->pass_in_parts(team, member, p, method, near_singular, trial, find_rates);
    forget_rate();
  }

  /// As MemberWorkspace has it; within the last step, on the side of a jump on which the step is.
  KALABA_FN void find_rate_before(const Method& method, const PersistentState& member, const X& t) {
    Base::find_rate_before(method, member, t);
    if constexpr (Series::F::margins > 0) {
      member.put_rates_at(Solo{}, member.place_in_step(X(0) < X(1), t), rate.dot);
    }
  }

 private:
  /// Computes `rate` at the beginning of a step; returns a status code.
  template <class Team>
  KALABA_NOINLINE X evaluate(const Team& team, const Method& method, const P& p, const X& t, const S& at, const X& rank,
                             const Mask& tried) {
    const auto rule = RankRule<X>::at_step(method, rank);
    return rate.evaluate(team, method, for_lanes<decltype(rate.inverse)>(rule, tried), p, t, at.q, at.w, false, true);
  }

  /// Keeps the coefficients that follow from w' at the beginning of a step, in some lanes: those where the series
  /// diverges in every step, as that of a norm which is zero there. The error of the slope then bounds the step.
  KALABA_NOINLINE void keep_first_terms(const Mask& where) {
    for (int k = 2; k < RungeKutta::orders; ++k) {
      const auto drop = [&](auto& x, int size_q, int size_w) KALABA_LAMBDA {
        for (int i = 0; i < size_q && k > 2; ++i) x.q[i] = select(where, X(0), x.q[i]);
        for (int i = 0; i < size_w; ++i) x.w[i] = select(where, X(0), x.w[i]);
      };
      drop(integrator.x[k], nq, n);
      if constexpr (Base::differentiates) {
        drop(columns_of_step.integrator.x[k], SeriesColumns::count * nq, SeriesColumns::count * n);
      }
    }
  }
  /// Number of places at which the slope is compared within a step that is twice as long as the last one.
  static constexpr int places_within = 7;
  KALABA_FN static X largest_step_of(const Method& method) {
    return method.largest_step > 0 ? X(method.largest_step) : X(Limits<Scalar<X>>::large);
  }
  /// A series whose length is below this many of the shortest steps counts as divergent.
  static constexpr double least_lengths = 64;

  /// Computes `rate` at a place `along` a step, 1 at its end, as at the beginning of the next step, and returns the
  /// error of the step: 0, or above 1 if the slope of the series differs from the rate there.
  template <class Team>
  KALABA_NOINLINE X compare_slopes(const Team& team, const PersistentState& member, const P& p, const Method& method,
                                   const X& end, const X& rank, const Mask& tried, const X& length, const X& along,
                                   int order, X& code) {
    const Mask at_end = along == X(1);
    const bool is_within = any(!at_end);
    S at;
    S slope;
    for_numbers<nq, n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
      X sum(0);
      for (int k = order; k >= 1; --k) sum = fma(sum, along, X(k) * of(integrator.x[k])[i]);
      of(slope)[i] = sum;
      of(at)[i] = of(integrator.at)[i];
      if (!is_within) return;
      sum = X(0);
      for (int k = order; k >= 0; --k) sum = fma(sum, along, of(integrator.x[k])[i]);
      of(at)[i] = select(at_end, of(at)[i], sum);
    });
    const X t = select(at_end, end, fma(length, along, member.time));
    ready_code = evaluate(team, method, p, t, at, rank, tried);
    ready_code = with_status(ready_code, !all_finite(rate.dot), Status::non_finite);
    code = select(both(tried, code == X(0)), ready_code, code);
    X q(0);
    X w(0);
    for (int i = 0; i < nq; ++i) q = max_of(q, max_of(abs(member.after.q[i]), abs(at.q[i])));
    for (int i = 0; i < n; ++i) w = max_of(w, max_of(abs(member.after.w[i]), abs(at.w[i])));
    const X rounding(16 * Limits<Scalar<X>>::epsilon);
    const State<X, 1, 1> floor = {{rounding * max_of(q, length * w)}, {rounding * max_of(w, q / length)}};
    for_numbers<nq, n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
      const X difference = fma(-length, of(rate.dot)[i], of(slope)[i]);
      const X scale = StepControl::scale(method, of(member.after)[i], of(at)[i]);
      of(this->scaled_error)[i] = difference / max_of(scale, of(floor)[0]);
    });
    const X error = this->root_mean_square() * X(1 / most_slope_error);
    const X rejected(StepControl::rejected_error);
    return select(error <= X(1), X(0), select(error < rejected, error, rejected));
  }

  /// Error of the columns in steps that were made without a change, as compare_slopes returns that of the member. Their
  /// unit is that of length_for_columns.
  template <class Team>
  KALABA_NOINLINE X compare_slopes_of_columns(const Team& team, const PersistentState& member, const P& p,
                                              const Method& method, const X& end, const X& length, const Mask& made) {
    this->noise_is_known = false;
    if (!any(made)) return X(0);
    this->find_rates(method, end, integrator.at, columns_of_step.at);
    auto& slope = columns_of_step.integrator.at;
    for_numbers<SeriesColumns::count * nq, SeriesColumns::count * n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
      X sum = -length * of(columns_of_step.rates)[i];
      for (int k = RungeKutta::orders - 1; k >= 1; --k) {
        sum = fma(X(k), of(columns_of_step.integrator.x[k])[i], sum);
      }
      of(slope)[i] = sum;
    });
    const double tolerance = most_slope_error * ColumnStep::tolerance(method);
    const auto find = [&](const auto& rounding) KALABA_LAMBDA {
      X largest(0);
      for (int column = 0; column < SeriesColumns::count; ++column) {
        auto sizes = size_of_column(column, X(1));
        const auto least = rounding(column);
        sizes = ColumnStep::joined(max_of(sizes.q, least.q), max_of(sizes.w, least.w), length);
        X sum(0);
        const auto add = [&](auto of, int count, const X& size) KALABA_LAMBDA {
          const X weight = reciprocal_where(X(0) < size, size);
          for (int i = column * count; i < (column + 1) * count; ++i) add_square(of(slope)[i] * weight, sum);
        };
        add(OfQ{}, nq, sizes.q);
        add(OfW{}, n, sizes.w);
        const X error = sqrt(sum * X(1.0 / state_numbers<M>())) / X(tolerance);
        largest = max_of(largest, select(is_finite(error), error, X(0)));
      }
      return largest;
    };
    const X error = this->error_of_columns(team, member, p, method, length, end, made, tolerance, find);
    const Mask fails = both(made, X(1) < error);
    return select(fails, error, X(0));
  }

  /// integrator.x := the cubic through the ends of the step in the lanes given.
  template <class Team>
  KALABA_FN void keep_cubic(const Team& team, const PersistentState& member, const Mask& near_singular, const X& length,
                            const S& made) {
    for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X begin_slope = of(integrator.rates[0])[i] * length;
      const X change = of(made)[i] - of(member.after)[i];
      const X end_slope = of(rate.dot)[i] * length;
      const X cubic[] = {of(member.after)[i], begin_slope, X(3) * change - X(2) * begin_slope - end_slope,
                         begin_slope + end_slope - X(2) * change};
      for (int k = 0; k < RungeKutta::orders; ++k) {
        of(integrator.x[k])[i] = select(near_singular, k < 4 ? cubic[k < 4 ? k : 0] : X(0), of(integrator.x[k])[i]);
      }
    });
  }

  /// step.at := the series at `length`, in units of time of its coefficients, which become those in units of `length`;
  /// the higher ones are set to 0 for the continuous extension.
  template <int NQ, int N>
  KALABA_FN static void move(const X& length, int order, TaylorStep<X, NQ, N>& step) {
    for (int k = order + 1; k < RungeKutta::orders; ++k) fill_where(Solo{}, X(0) < X(1), X(0), step.x[k]);
    copy(Solo{}, step.x[order], step.at);
    for (int k = order - 1; k >= 0; --k) {  // in the order of memory
      for_numbers<NQ, N>(Solo{}, [&](auto of, int i)
                                     KALABA_LAMBDA { of(step.at)[i] = fma(of(step.at)[i], length, of(step.x[k])[i]); });
    }
    X power = length;
    for (int k = 1; k <= order; ++k) {
      for_numbers<NQ, N>(Solo{}, [&](auto of, int i) KALABA_LAMBDA { of(step.x[k])[i] = of(step.x[k])[i] * power; });
      power = power * length;
    }
  }

  /// Completes a step that ends behind a change of the formulas, with the rates f- before and f+ behind it. If the
  /// margin u is zero at the beginning of the step already, f+ acts in the whole step. The columns change by
  /// (f- - f+) dt with the derivative dt = -du / u' of the time of the change; NaN if u depends on w' or lambda.
  template <class Team>
  KALABA_NOINLINE void pass_change(const Team& team, const PersistentState& member, const P& p, const Method& method,
                                   const X& end, const Trial& trial, const Mask& passes,
                                   const typename Series::Change& change) {
    const S& at = integrator.at;
    const auto rule = RankRule<X>::at_step(method, member.rank);
    rate.evaluate(team, method, rule, p, end, at.q, at.w, false, false);
    S jump;  // f- - f+
    const X per_length = X(1) / trial.length;
    for_numbers<nq, n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
      X before(0);
      for (int k = RungeKutta::orders - 1; k >= 1; --k) before = fma(X(k), of(integrator.x[k])[i], before);
      of(jump)[i] = before * per_length - of(rate.dot)[i];
    });
    if constexpr (Base::differentiates) {
      Vec<X, SeriesColumns::count> slopes;
      columns.margins_along(tangents, end, at.q, at.w, columns_of_step.at, change.margin, slopes);
      for_numbers<nq, n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
        const int size = of(at).size;
        for (int column = 0; column < SeriesColumns::count; ++column) {
          X& number = of(columns_of_step.at)[column * size + i];
          number = select(passes, fma(of(jump)[i], -slopes[column] / change.speed, number), number);
        }
      });
    }
    const X corrected = select(both(trial.cut, change.at_once), trial.length, X(0));
    for (int i = 0; i < n; ++i) integrator.at.w[i] = fma(-jump.w[i], corrected, integrator.at.w[i]);
  }

  /// The length of a step that may have `length`: up to the `change` of a margin, s from its beginning. Counts
  /// the steps that are cut very short; more than `most_cuts` in sequence are the status step_too_small, as of a sign
  /// that changes without end: the length is then so short that no shorter step is tried.
  KALABA_FN X end_at_change(const PersistentState& member, const X& change, const X& length, Trial& trial,
                            const Mask& tried, X& code) {
    trial.cut = both(tried, change < length);
    const X cut = select(trial.cut, min_of(max_of(change, trial.least), length), length);
    const Mask is_short = both(trial.cut, cut < X(1e-6) * length);
    trial.cuts = select(is_short, member.cuts + X(1), X(0));
    const Mask endless = X(most_cuts) < trial.cuts;
    code = with_status(code, endless, Status::step_too_small);
    return select(endless, trial.least, cut);
  }
  static constexpr int most_cuts = 100;

  KALABA_FN static Mask is_fresh(const PersistentState& member) { return !(X(0) < member.length); }
  /// Length from which that of the step is searched; the whole run before the first step. A step that was cut short
  /// leaves `next`.
  KALABA_FN static X guessed_length(const PersistentState& member, const X& most) {
    return select(is_fresh(member), most, min_of(member.next * X(1 / StepControl::most_factor), most));
  }
  /// Largest power of 2 up to a number above 1, or smallest one from a number below 1; 1 for 0 and NaN.
  KALABA_FN static X power_of_2_at(const X& number) {
    X power(1);
    for (int exponent = 512; exponent >= 1; exponent /= 2) {
      double factor = 2;
      for (int i = 1; i < exponent; i *= 2) factor *= factor;
      const X more = power * X(factor);
      const X less = power * X(1 / factor);
      power = select(more <= number, more, select(both(X(0) < number, number <= less), less, power));
    }
    return power;
  }

  /// Length at which the larger of the last two terms, in the root mean square in units of the tolerances, is 1, times
  /// a safety factor; at most `most`.
  KALABA_FN X length_for(const PersistentState& member, const Method& method, int order, const X& guess,
                         const X& most) const {
    const Mask fresh = is_fresh(member);
    X last(0);
    X before(0);
    for_numbers<nq, n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
      const X start = of(integrator.x[0])[i];
      const X slope = of(integrator.x[1])[i] * series.per_unit;
      const X weight = X(1) / StepControl::scale(method, start, select(fresh, start, guess * slope));
      add_square(of(integrator.x[order])[i] * weight, last);
      add_square(of(integrator.x[order - 1])[i] * weight, before);
    });
    return length_of_terms(sqrt(last * X(1.0 / state_numbers<M>())), sqrt(before * X(1.0 / state_numbers<M>())), order,
                           guess, most);
  }

  /// Length of the step of the columns, relative to their sizes and in units of 1000 relative tolerances; at most
  /// `most`. It is shorter than that of the member where the member hardly moves, as near an equilibrium, or where a
  /// force of a parameter that is zero has a series of its own. A column of rounding errors does not shorten the step:
  /// they grow from order to order as the terms do in which they are made.
  KALABA_NOINLINE X length_for_columns(const Method& method, int order, const X& most) const {
    X length = most;
    const X tolerance(ColumnStep::tolerance(method));
    for (int column = 0; column < SeriesColumns::count; ++column) {
      for (int pass = 0; pass < 6; ++pass) {  // the sizes depend on the length
        const X units = length * series.per_unit;
        const auto sizes = size_of_column(column, units);
        const auto [q, w] = ColumnStep::joined(sizes.q, sizes.w, length);
        X last(0);
        X before(0);
        const auto add = [&](auto of, int count, const X& size) KALABA_LAMBDA {
          const X weight = reciprocal_where(X(0) < size, size * tolerance);
          for (int i = column * count; i < (column + 1) * count; ++i) {
            add_square(of(columns_of_step.integrator.x[order])[i] * weight, last);
            add_square(of(columns_of_step.integrator.x[order - 1])[i] * weight, before);
          }
        };
        add(OfQ{}, nq, q);
        add(OfW{}, n, w);
        const X found = length_of_terms(sqrt(last * X(1.0 / state_numbers<M>())),
                                        sqrt(before * X(1.0 / state_numbers<M>())), order, length, length);
        length = select(found < length, found, length);
      }
    }
    return length;
  }
  /// Sizes of a column within `units` of time, by its first coefficients, of which some may be zero.
  KALABA_FN auto size_of_column(int column, const X& units) const {
    const auto largest = [&](auto of, int count) KALABA_LAMBDA {
      X size(0);
      for (int i = column * count; i < (column + 1) * count; ++i) {
        X power(1);
        for (int k = 0; k <= 3; ++k) {
          size = max_of(size, abs(of(columns_of_step.integrator.x[k])[i]) * power);
          power = power * units;
        }
      }
      return size;
    };
    return typename ColumnStep::Sizes{largest(OfQ{}, nq), largest(OfW{}, n)};
  }
  KALABA_FN static void add_square(const X& x, X& sum) { sum = fma(x, x, sum); }

  /// Length up to which the series of the margins converge, relative to their sizes; at most `most`. It is shorter than
  /// that of the member where a condition varies faster than the motion.
  KALABA_NOINLINE X length_for_margins(const Method& method, int order, const X& most) const {
    X length = most;
    for (int i = 0; i < Series::F::margins; ++i) {
      const SeriesMargin<X>& margin = series.rows.margin[i];
      const X* c = series.rows.c[margin.row];
      const int top = order - margin.lag;
      for (int pass = 0; pass < 6; ++pass) {  // the size depends on the length
        const X units = length * series.per_unit;
        const X size = max_of(margin.terms, max_of(abs(c[1]), abs(c[2]) * units) * units);
        const X weight = reciprocal_where(X(0) < size, size * X(method.relative_tolerance));
        const X found = length_of_terms(abs(c[top]) * weight, abs(c[top - 1]) * weight, top, length, length);
        length = select(found < length, found, length);
      }
    }
    return length;
  }

  /// The length at which the larger of two terms is 1, times a safety factor: those of the orders `order` and
  /// order - 1, in units of time of the series. It is found as a factor of the `guess`, by exponents in 64ths: a second
  /// pass is needed only after large changes. At most `most`.
  KALABA_FN X length_of_terms(const X& last, const X& before, int order, const X& guess, const X& most) const {
    X length = guess;
    int exponent = 64 / order;
    int roots = 6;
    for (; exponent % 2 == 0; exponent /= 2) --roots;
    Mask open = X(0) < X(1);
    constexpr double furthest = 1e30;
    for (int pass = 0; pass < most_passes && any(open); ++pass) {
      const X units = length * series.per_unit;
      X power(1);
      for (int k = 1; k < order; ++k) power = power * units;
      const X error = max_of(before * power, last * power * units);
      X root = min_of(max_of(error, X(1 / furthest)), X(furthest));
      for (int i = 0; i < roots; ++i) root = sqrt(root);
      X by = root;
      for (int i = 1; i < exponent; ++i) by = by * root;
      const X next = select(error <= X(furthest), length / by, length * X(1.0 / 16));
      length = select(open, min_of(next, X(16) * most), length);
      const Mask settled = both(X(1e-3) < error, error < X(1e3));
      open = both(open, !either(settled, both(error <= X(1), length == X(16) * most)));
    }
    const Mask known = both(is_finite(last), is_finite(before));
    return select(known, min_of(X(safety) * length, most), X(0) / X(0) * last);
  }
  static constexpr int most_passes = 32;
};

template <class M, class X, template <class, int, int> class Inverse>
struct TrialOf<M, X, Inverse, TaylorTableau> {
  using type = TaylorTrial<M, X, Inverse>;
};

}  // namespace kalaba
