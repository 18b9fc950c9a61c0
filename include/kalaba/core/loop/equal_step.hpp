#pragma once

#include "kalaba/core/loop/column_step.hpp"
#include "kalaba/core/loop/interval.hpp"
#include "kalaba/core/member/member_workspace.hpp"
#include "kalaba/core/methods/rk4.hpp"

namespace kalaba {

/// A step of the grid (RK4), or a part of one from its beginning on, on the general path, which handles every case.
template <class M, class X, template <class, int, int> class Inverse>
struct EqualStep : MemberWorkspace<M, X, Inverse> {
  using Base = MemberWorkspace<M, X, Inverse>;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::tangents;
  using typename Base::Mask;
  using typename Base::Rate;
  using typename Base::S;

  /// Steps between cold starts of the pseudo-inverse (by step index, so that results do not depend on how a run is
  /// divided).
  static constexpr long restart_every = 16;
  /// Stages are projected onto the constraints if a singular position is at most this many steps away.
  static constexpr double steps_near = 32;

  /// Returns true if the first pseudo-inverse of a step of the grid starts from that of the step before.
  KALABA_FN static constexpr bool is_warm(long step) { return step % restart_every != 0; }

  Rk4<X, nq, n> integrator;
  ColumnStep<M, X> columns_of_step;

  /// Makes a step, number `index` of the call, or a part of it from its beginning on. `warm`: its first pseudo-inverse
  /// may start from that of the step before.
  template <class Team>
  KALABA_FN void step_member(const Team& team, Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                             const Interval<X>& interval, bool warm, long index, const X& part, const Mask& alive) {
    const X rank_changes = member.rank_changes;
    if constexpr (Base::can_pass) {
      const Mask near_singular = this->near_singular(member, method, alive);
      const Mask others = both(alive, !near_singular);
      const bool some = team.any(near_singular);
      if (team.any(others)) {
        Mask crossing = X(1) < X(0);
        const X code = try_step(team, member, p, method, interval, warm, part, others, crossing);
        const Mask made = both(others, !crossing);
        accept(team, member, integrator.end, code, made, index);
        accept_columns(member, code, made);
        // The step crosses the first singular position that it detects: it is repeated.
        if (team.any(crossing)) {
          find_rank_behind(team, member, p, method, interval.at(part), crossing);
          step_past(team, member, p, method, interval, index, part, crossing);
          forget_columns(member, crossing);
        }
      }
      if (some) step_past(team, member, p, method, interval, index, part, near_singular);
      forget_columns(member, near_singular);
    } else {
      Mask crossing = X(1) < X(0);
      const X code = try_step(team, member, p, method, interval, warm, part, alive, crossing);
      const Mask free = Base::m == 1 && !Base::exchanges ? both(alive, member.rank < X(1)) : X(1) < X(0);
      const Mask made = both(alive, !free);
      accept(team, member, integrator.end, code, made, index);
      accept_columns(member, code, made);
      if (team.any(free)) {
        if constexpr (Team::size == 1) {
          Member<M, X> copy = member;  // no reference to the member is passed on: it can stay in registers
          step_freely(copy, method, interval, warm, index, part, free);
          member = copy;
        } else {
          const X found = try_step<true>(team, member, p, method, interval, warm, part, free, crossing);
          accept(team, member, integrator.end, found, free, index);
          accept_columns(member, found, free);
        }
      }
    }
    forget_columns(member, rank_changes < member.rank_changes);
  }

 private:
  /// Repeats a step of the lanes in which the only constraint has no gradient at its beginning.
  KALABA_NOINLINE static void step_freely(Member<M, X>& member, const Method& method, const Interval<X>& interval,
                                          bool warm, long index, const X& part, const Mask& lanes) {
    EqualStep own;
    if constexpr (Base::differentiates) own.tangents.prepare(member.p);
    Mask crossing = X(1) < X(0);
    const X code = own.template try_step<true>(Solo{}, member, prepared<M>(member.p), method, interval, warm, part,
                                               lanes, crossing);
    own.accept(Solo{}, member, own.integrator.end, code, lanes, index);
    own.accept_columns(member, code, lanes);
  }

  /// Stores the result of a step in the lanes where it was `made`.
  template <class Team>
  KALABA_FN void accept(const Team& team, Member<M, X>& member, const S& end, const X& code, const Mask& made,
                        long index) {
    const Mask moved = both(made, code == X(0));
    copy_where(team, moved, end, member);
    team.single([&]() KALABA_LAMBDA {
      member.failed_step = select(both(made, !moved), X(static_cast<int>(index)), member.failed_step);
      member.status = select(made, code, member.status);
    });
  }

  /// Accepts the columns of a step that was `made`.
  KALABA_FN void accept_columns(Member<M, X>& member, const X& code, const Mask& made) {
    if constexpr (Base::differentiates) columns_of_step.accept(both(made, code == X(0)), member.columns);
  }
  /// Sets the columns to NaN where the rank of A changes or may change: there is no derivative.
  KALABA_FN void forget_columns(Member<M, X>& member, const Mask& where) {
    if constexpr (Base::differentiates) columns_of_step.forget(where, member.columns);
  }

  /// Rank at the end of a step that starts in a singular position, where the rank is lower: the rank of the motion
  /// around it.
  template <class Team>
  KALABA_NOINLINE void find_rank_behind(const Team& team, Member<M, X>& member, const Prepared<M, X>& p,
                                        const Method& method, const X& t, const Mask& crossing) {
    const auto rule = RankRule<X>::at_step(method, X(-1));
    rate.evaluate(team, method, for_lanes_alone<typename Rate::Inverse>(rule, crossing), p, t, integrator.end.q,
                  integrator.end.w, false, false);
    this->count_rank_change(team, member, crossing, max_of(this->rank_found(), member.rank));
  }

  /// Computes one step in the integrator's workspace; returns a status code. `crossing` receives the lanes that crossed
  /// a singular position on the ordinary path. In a `Free` step no constraint acts.
  template <bool Free = false, class Team>
  KALABA_FN X try_step(const Team& team, Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                       const Interval<X>& interval, bool warm, const X& part, const Mask& alive,
                       [[maybe_unused]] Mask& crossing) {
    X code(0);
    [[maybe_unused]] X rank_before = member.rank;
    Passage<X> passage{};
    Mask comparable = X(1) < X(0);
    const auto evaluate = [&](int stage, const X& t, const S& at) KALABA_LAMBDA {
      const bool continues = stage > 0 || warm;
      auto rule =
          stage == 0 ? RankRule<X>::at_step(method, member.rank) : RankRule<X>::within_step(method, member.rank);
      if (Base::can_pass && stage > 0) rule.compares_rows = passage.in_sight();
      rule.comparable = comparable;
      const auto& own = for_lanes<typename Rate::Inverse>(rule, alive);
      const X found = rate.template evaluate<true>(team, method, own, p, t, at.q, at.w, continues, stage == 0);
      code = select(code == X(0), found, code);
      if constexpr (Free) {
        team.template for_each<n>([&](int i) KALABA_LAMBDA { rate.dot.w[i] = rate.free_rate[i]; });
      }
      this->count_svd_stage(team, member, alive);
      if (stage == 0) this->count_rank_change(team, member, alive, this->rank_found());
      if constexpr (Base::m > 1) {
        if (stage == 0) comparable = rate.inverse.comparable();
      }
      if constexpr (Base::can_pass) {
        if (stage == 0) {
          passage.begin(rate.inverse);
        } else if (KALABA_FOR_GPU || passage.in_sight()) {  // on a GPU a branch would cost registers
          passage.note(rate.inverse);
        }
      }
      if constexpr (Base::differentiates) {
        if constexpr (Base::m > 0) {
          if (stage == 0) this->forget_singular(team, method, t, member, alive, member.columns, member);
        }
        const X dt = part * interval.length;
        tangents.evaluate(rate, method, t, at.q, at.w, columns_of_step.at(stage, member.columns),
                          [&](int column, const Vec<X, nq>& dq, const Vec<X, n>& dw)
                              KALABA_LAMBDA { columns_of_step.add(stage, dt, member.columns, column, dq, dw); });
      }
    };
    integrator.step(team, interval.begin, part * interval.length, member, rate.dot, evaluate);
    if (KALABA_FOR_GPU || passage.in_sight() || any(X(0) < member.approach)) {
      passage.forget_unseen();
      this->count_passage(team, member, alive, steps_near, passage);
      if constexpr (Base::can_pass) crossing = both(this->near_singular(member, method, alive), passage.crosses());
    }
    RankRule<X> rule(method.rank_tolerance);
    rule.comparable = comparable;
    Mask torn = X(1) < X(0);
    EndedStep<X, n> ended = {part * interval.length};
    if constexpr (Base::m > 1 || Free) {
      rank_before = select(rank_before < X(0), member.rank, rank_before);
      ended = {part * interval.length, rank_before, &member.w, &torn};
    }
    code = this->project_and_check(team, method, rule, p, interval.at(part), integrator.end, alive, code,
                                   columns_of_step.end, ended);
    if constexpr (Base::m > 1) crossing = both(crossing, !torn);
    return code;
  }

  /// Makes a step near a singular position, for the lanes of the last argument. If the step crosses one between its
  /// stages, it is made in two parts that are divided near it, whatever the result of the whole step.
  template <class Team>
  KALABA_NOINLINE void step_past(const Team& team, Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                                 const Interval<X>& interval, long index, const X& part, const Mask& near_singular) {
    Passage<X> passage{};
    Mask torn = X(1) < X(0);
    const auto go = [&](const X& from, const X& to, const Mask& lanes) KALABA_LAMBDA {
      const X t = fma(from, interval.length, interval.begin);
      return this->pass(team, member, method, p, t, (to - from) * interval.length, interval.at(to), member, lanes,
                        passage, torn);
    };
    X code = go(X(0), part, near_singular);
    const X middle = passage.split() * part;
    const Mask split = both(both(near_singular, !torn), X(0) < middle);
    this->count_passage(team, member, near_singular, steps_near, passage);
    accept(team, member, this->passer.end, code, both(near_singular, !split), index);
    Mask open = split;
    for (int piece = 0; piece < 2 && team.any(open); ++piece) {
      code = go(piece == 0 ? X(0) : middle, piece == 0 ? middle : part, open);
      accept(team, member, this->passer.end, code, open, index);
      open = both(split, member.status == X(0));
    }
  }
};

}  // namespace kalaba
