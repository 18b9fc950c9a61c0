#pragma once

#include "kalaba/core/loop/adaptive_member.hpp"
#include "kalaba/core/methods/step_control.hpp"

namespace kalaba {

/// Common part of the trials of one step by an integrator with adaptive steps: the workspace, steps near singular
/// positions, and the judgement of a step. Such an integrator derives its trial from it, with try_step and try_past,
/// and names it in TrialOf.
template <class M, class X, template <class, int, int> class Inverse, class Tableau>
struct StepTrial : MemberWorkspace<M, X, Inverse> {
  using Base = MemberWorkspace<M, X, Inverse>;
  using PersistentState = AdaptiveMember<M, X, Tableau>;
  using Mask = typename Base::Mask;
  using P = Prepared<M, X>;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::tangents;
  using typename Base::S;
  using RungeKutta = typename PersistentState::RungeKutta;

  static constexpr bool has_fast_path = false;  ///< no fast path
  static constexpr int count = Dim<M>::sensitivities;
  /// Stages are projected onto the constraints if a singular position is at most this many steps away.
  static constexpr double steps_near = 4;

  RungeKutta integrator;
  AdaptiveColumnStep<M, X, Tableau> columns_of_step;
  S scaled_error;
  bool noise_is_known;  ///< find_noise was called for the step
  State<X, Base::can_pass ? nq : 0, Base::can_pass ? n : 0> whole,
      middle;   ///< near a singular position, a step is computed twice: as a whole, and in two parts
  X middle_at;  ///< fraction of the step at which its parts meet

  struct Trial {
    X length;
    Mask last;  ///< ends at `end`
    X end;      ///< of the grid, or the next tick of a clock, s
    X code;
    X error;
    X rank;    ///< of A at the end of the step
    X least;   ///< least length of a step that does not end at the end of the grid
    Mask cut;  ///< shortened to end where a condition of a formula changes
    X cuts;    ///< AdaptiveMember::cuts after the step
  };

  /// Length of the first trial.
  KALABA_FN static double first_length(const TimeGrid& time) { return time.dt; }

  /// Must be called before a step if `rate` may have served another purpose since the last step; nothing for a method
  /// that does not use it from one step to the next.
  KALABA_FN void forget_rate() {}

  /// Returns the lanes in which a step may take the fast path.
  template <class Team>
  KALABA_FN static Mask may_be_fast(const PersistentState& /*member*/) {
    return X(1) < X(0);
  }

  /// Examines whether stability limits an accepted step, before it is stored in the member; nothing for a method whose
  /// steps stability does not limit.
  template <class Team>
  KALABA_FN void note_stiffness(const Team& /*team*/, PersistentState& /*member*/, const Mask& /*accepted*/,
                                const X& /*length*/) {}

  /// Computes the rates of columns at a state whose rate was just computed.
  KALABA_FN void find_rates(const Method& method, const X& t, const S& at, const Columns<M, X>& columns) {
    tangents.evaluate(rate, method, t, at.q, at.w, columns,
                      [&](int column, const Vec<X, nq>& dq, const Vec<X, n>& dw)
                          KALABA_LAMBDA { columns_of_step.rates.put(column, dq, dw); });
  }

 protected:
  /// Sizes below which a column may be rounding error, as of a parameter that cancels: along a parameter that is not
  /// zero, small relative to the member's own numbers, per size of the parameter; and `allowed` times the rounding
  /// errors of the rates, if those are known.
  KALABA_FN auto rounding_of_column(const PersistentState& member, int column, const X& allowed) const {
    constexpr double share = Limits<Scalar<X>>::epsilon > 1e-10 ? 1e-4 : 1e-9;
    const int of = tangents.asked.of[column];
    typename AdaptiveColumnStep<M, X, Tableau>::Sizes sizes = {X(0), X(0)};
    if (of < Dim<M>::parameters) {
      for (int i = 0; i < nq; ++i) sizes.q = max_of(sizes.q, max_of(abs(member.after.q[i]), abs(integrator.at.q[i])));
      for (int i = 0; i < n; ++i) sizes.w = max_of(sizes.w, max_of(abs(member.after.w[i]), abs(integrator.at.w[i])));
      const X size = abs(member.p[of]);
      const X factor = reciprocal_where(X(0) < size, size) * X(share);
      sizes.q = sizes.q * factor;
      sizes.w = sizes.w * factor;
    }
    if (!noise_is_known) return sizes;
    const auto& noise = columns_of_step.noise;
    for (int i = column * nq; i < (column + 1) * nq; ++i) sizes.q = max_of(sizes.q, allowed * noise.q[i]);
    for (int i = column * n; i < (column + 1) * n; ++i) sizes.w = max_of(sizes.w, allowed * noise.w[i]);
    return sizes;
  }

  /// columns_of_step.noise := rounding errors of the columns' rates in a step that ends at `end`: the largest second
  /// difference of a rate along the numbers of the state, at one of its ends, in steps of the root of the rounding
  /// error. The second difference of a smooth rate is as small as its own rounding error. Uses `rate`.
  template <class Team>
  KALABA_NOINLINE void find_noise(const Team& team, const PersistentState& member, const P& p, const Method& method,
                                  const X& end) {
    constexpr int places = 4;
    constexpr double apart = Limits<Scalar<X>>::epsilon > 1e-10 ? 3.5e-4 : 1.5e-8;
    const auto rule = RankRule<X>::within_step(method, member.rank);
    noise_is_known = true;
    fill_where(Solo{}, X(0) < X(1), X(0), columns_of_step.noise);
    Columns<M, X> columns;
    Columns<M, X> before[2];  // the rates at the last place, and at the one before it
    for (int call = 0; call < 2 * places; ++call) {
      const bool at_end = call >= places;
      const int place = call % places;
      const X factor(1 + apart * (place - 1));
      const S& state = at_end ? integrator.at : member.after;
      S at;
      for_numbers<nq, n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA { of(at)[i] = of(state)[i] * factor; });
      copy(Solo{}, at_end ? columns_of_step.at : member.of_columns.after, columns);
      const X t = (at_end ? end : member.time) * factor;
      rate.evaluate(team, method, rule, p, t, at.q, at.w, false, false);
      this->find_rates(method, t, at, columns);
      for_numbers<count * nq, count * n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
        const X now = of(columns_of_step.rates)[i];
        X& last = of(before[0])[i];
        X& first = of(before[1])[i];
        X& noise = of(columns_of_step.noise)[i];
        if (place >= 2) noise = max_of(noise, abs((now - last) - (last - first)));
        first = last;
        last = now;
      });
    }
  }

  /// Error of the columns in a step of `length` that ends at `end`: find(rounding) computes it in units of `tolerance`
  /// of their sizes, which are at least rounding(column). The rounding errors of the rates are found only where the
  /// error would reject one of the steps `tried`.
  template <class Team, class Find>
  KALABA_FN X error_of_columns(const Team& team, const PersistentState& member, const P& p, const Method& method,
                               const X& length, const X& end, const Mask& tried, double tolerance, const Find& find) {
    const X allowed = X(most_noise / tolerance) * length;
    const auto rounding = [&](int column) KALABA_LAMBDA { return rounding_of_column(member, column, allowed); };
    noise_is_known = false;
    const X error = find(rounding);
    const Mask fails = both(tried, X(1) < error);
    if (!any(fails)) return error;
    find_noise(team, member, p, method, end);
    return select(fails, find(rounding), error);
  }
  static constexpr double most_noise = 64;  ///< error of a step that is rounding, in errors of a rate times the length

  /// The error of a step that is `tried`, or that of its columns if it is larger (AdaptiveColumnStep::error).
  template <class Team>
  KALABA_FN X with_columns(const Team& team, const PersistentState& member, const P& p, const Method& method,
                           const X& length, const X& factor, const Mask& tried, const X& error) {
    const double tolerance = AdaptiveColumnStep<M, X, Tableau>::tolerance(method);
    const X of_columns = error_of_columns(
        team, member, p, method, length, member.time + length, tried, tolerance,
        [&](const auto& rounding)
            KALABA_LAMBDA { return columns_of_step.error(method, length, factor, member.of_columns, rounding); });
    return select(error < of_columns, of_columns, error);  // NaN remains NaN
  }

  /// Near a singular position: computes the step of some lanes once as a whole and once in two parts, and
  /// takes the end of the second part. The parts are halves, or are divided near the singular position if the step
  /// crosses it. `find_rates(end, made, code)` computes the rates that the method stores, the last of them at the end.
  template <class Team, class FindRates>
  KALABA_FN void pass_in_parts(const Team& team, PersistentState& member, const P& p, const Method& method,
                               const Mask& near_singular, Trial& trial, const FindRates& find_rates) {
    const X end = member.time + trial.length;
    Passage<X> passage{};
    Mask torn = X(1) < X(0);
    const X rank_before = member.rank;
    const X whole_code =
        this->pass(team, member, method, p, member.time, trial.length, end, member.after, near_singular, passage, torn);
    const X split = passage.split();
    const Mask splits = both(X(0) < split, !torn);
    const X first_part = select(splits, split, X(0.5));
    team.single([&]() KALABA_LAMBDA { middle_at = first_part; });
    const X parts[] = {first_part * trial.length, (X(1) - first_part) * trial.length};
    X code = select(splits, X(0), whole_code);
    const X noisy = noisy_value(method, member);
    const X speed = passage.speed(steps_near, X(early) * noisy, member.approach);
    const X least = passage.least_with_weight(speed);
    const Mask lies_in = both(splits, !passage.clear);  // a stage of the whole step, in the position
    this->count_passage(team, member, near_singular, steps_near, passage, X(early) * noisy);
    const S& made = this->passer.end;
    copy(team, made, whole);
    for (int part = 0; part < 2; ++part) {
      const X t = part == 0 ? member.time : member.time + parts[0];
      if (part > 0) copy(team, made, middle);
      const X found = this->pass(team, member, method, p, t, parts[part], part == 0 ? t + parts[0] : end,
                                 part == 0 ? member.after : middle, near_singular, passage, torn);
      code = select(code == X(0), found, code);
    }
    team.single([&]() KALABA_LAMBDA { member.rank = select(torn, rank_before, member.rank); });  // for the next trial
    find_rates(end, made, code);
    copy_where(team, near_singular, made, integrator.at);
    // The tolerance is raised by the rounding error, which shorter steps would add more often: that of the velocities,
    // and what it moves the positions in the time in which the value changes by itself.
    const X apart = max_of(least, X(Passage<X>::least_resolved));
    const X rounding = X(rounding_errors * Limits<Scalar<X>>::epsilon) / (apart * apart);
    const Vec<X, n> speeds = speeds_of(member);
    X most(0);
    for (int i = 0; i < n; ++i) most = max_of(most, speeds[i]);
    const X time = abs(trial.length) * select(X(0) < speed, apart / select(X(0) < speed, speed, X(1)), X(1));
    for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X error = of(made)[i] - of(whole)[i];
      const X scale = StepControl::scale(method, of(member.after)[i], of(made)[i]);
      of(scaled_error)[i] = error / fma(rounding, noise_along(of, i, speeds, most, time), scale);
    });
    const X found = root_mean_square();
    // A whole step with a stage in the position says nothing of the error of the parts, which cross it. In a step that
    // is a little shorter, no stage lies there.
    const X error = select(both(lies_in, X(1) < found), X(a_little_above), found);
    // The rank is lower only in the singular position itself; later steps have the rank of the earlier ones.
    judge(trial, near_singular, code, error, max_of(this->rank_found(), member.rank));
  }

  /// begin_dot := the rate at the start of the step, rate.dot := that at its end. Takes and returns a status code.
  template <class Team>
  KALABA_FN X rates_at_ends(const Team& team, const PersistentState& member, const P& p, const Method& method,
                            const X& end, const S& made, S& begin_dot, X code) {
    const auto rule = RankRule<X>::at_step(method, member.rank);
    X found = rate.evaluate(team, method, rule, p, member.time, member.after.q, member.after.w, false, false);
    code = select(code == X(0), found, code);
    copy(team, rate.dot, begin_dot);
    found = rate.evaluate(team, method, rule, p, end, made.q, made.w, false, true);
    return select(code == X(0), found, code);
  }

  /// Stores after a step whether a member is near a singular position.
  template <class Team>
  KALABA_FN void look_ahead(const Team& team, PersistentState& member, const Method& method, const Mask& stepped,
                            const Passage<X>& passage) {
    if constexpr (Base::can_pass) {
      const X noisy = passage.in_sight() ? X(early) * noisy_value(method, member) : X(0);
      this->count_passage(team, member, stepped, steps_near, passage, noisy);
    }
  }

  /// Speeds along each number that a rounding error may have near a singular position, times epsilon / value^2. A
  /// rounding error of the position turns the direction of the velocity by that: its correction moves the position by
  /// epsilon / value, which turns the direction by as much over the value. In the metric of the motion it is at most
  /// |F^T w|, along every number, also one that is at rest.
  KALABA_FN Vec<X, n> speeds_of(const PersistentState& member) const {
    Vec<X, n> moving = member.after.w;
    Vec<X, n> speeds;
    for (int i = 0; i < n; ++i) speeds[i] = X(1);
    rate.at.factor.multiply_transposed(moving.data);
    rate.at.factor.solve_transposed(speeds.data);
    X square(0);
    for (int i = 0; i < n; ++i) square = fma(moving[i], moving[i], square);
    const X speed = sqrt(square);
    for (int i = 0; i < n; ++i) speeds[i] = max_of(abs(speeds[i]) * speed, abs(member.after.w[i]));
    return speeds;
  }
  /// Least value at which that error may exceed the tolerance of such speeds.
  KALABA_FN X noisy_value(const Method& method, const PersistentState& member) const {
    const Vec<X, n> speeds = speeds_of(member);
    X sum(0);
    for (int i = 0; i < n; ++i) {
      const X size = speeds[i] / StepControl::scale(method, speeds[i], speeds[i]);
      sum = fma(size, size, sum);
    }
    return sqrt(X(rounding_errors * Limits<Scalar<X>>::epsilon) * sqrt(sum * X(1.0 / n)));
  }
  static constexpr double rounding_errors = 2;    ///< in units of the bound above; with less, linkages reject steps
  static constexpr double a_little_above = 1.01;  ///< error for which a step is rejected, and nine tenths of it tried
  /// Value below which a position is near earlier (Passage::speed), in units of noisy_value: linkages keep their branch
  /// at tolerances of 1e-12.
  static constexpr double early = 0.0625;
  /// Speed of number i of the rates, or the distance that it makes of number i of the coordinates: of the coordinate
  /// whose rate it is, or of the largest one where coordinates are not those of the rates.
  KALABA_FN static X noise_along(OfW, int i, const Vec<X, n>& speeds, const X& /*most*/, const X& /*time*/) {
    return speeds[i];
  }
  KALABA_FN static X noise_along(OfQ, int i, const Vec<X, n>& speeds, const X& most, const X& time) {
    return (nq == n ? speeds[i < n ? i : 0] : most) * time;
  }

  /// Stores the result of a step in the lanes where it was `made`.
  KALABA_FN void judge(Trial& trial, const Mask& made, const X& code, const X& error, const X& rank) const {
    trial.rank = select(made, rank, trial.rank);
    const Mask good = both(code == X(0), error < X(StepControl::rejected_error));
    trial.code = select(made, code, trial.code);
    trial.error = select(made, select(good, error, X(StepControl::rejected_error)), trial.error);
  }

  KALABA_FN X root_mean_square() const {
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < nq; ++i) sum = fma(scaled_error.q[i], scaled_error.q[i], sum);
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) sum = fma(scaled_error.w[i], scaled_error.w[i], sum);
    return sqrt(sum * X(1.0 / state_numbers<M>()));
  }
};

/// Trial steps of the method that a tableau states.
template <class M, class X, template <class, int, int> class Inverse, class Tableau>
struct TrialOf;

}  // namespace kalaba
