#pragma once

#include "kalaba/core/base/cubic.hpp"
#include "kalaba/core/events/gap_search.hpp"
#include "kalaba/core/events/watch.hpp"
#include "kalaba/core/loop/interval.hpp"
#include "kalaba/core/member/member_state.hpp"
#include "kalaba/core/rate/projection.hpp"
#include "kalaba/core/rate/single_row.hpp"

namespace kalaba {

template <class M, class X, template <class, int, int> class Inverse>
struct MemberLoop;

namespace detail {
template <class M>
struct OpenModel {
  struct type : M::Open {};
};
template <class M>
requires requires { M::stabilized_by; }
struct OpenModel<M> {
  struct type : M::Open {
    static constexpr auto stabilized_by = M::stabilized_by;
  };
};
}  // namespace detail

/// Returns true if a model has contacts and states the motion while these are open. A function, for NVRTC 12.0 to 12.5
/// (core/loop/member_work.hpp).
template <class M>
KALABA_FN constexpr bool states_open() {
  return requires { typename M::Open; };
}

/// Motion with equal steps of a member in the lanes in which all contacts are open: that of a model without their rows.
template <class M, class X, template <class, int, int> class Inverse>
struct OpenMotion {
  using Open = typename detail::OpenModel<M>::type;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  using P = Prepared<Open, X>;
  using S = State<X, nq, n>;
  using Mask = MaskOf<X>;
  using Gaps = Vec<X, 2 * M::contacts>;

  MemberLoop<Open, X, Inverse> loop;

  /// Returns true if the events of a run are those of contacts alone.
  KALABA_FN static bool serves(const Watch& watch) {
    int events = 0;
    for (int i = 0; i < watch.contact_count; ++i) events += watch.contacts[i].friction.any() ? 2 : 1;
    return watch.has_contacts() && watch.count == events;
  }
  /// Returns the lanes in which all contacts are open.
  KALABA_FN static Mask is_open(const Watch& watch, const Vec<X, Dim<M>::parameters>& p) {
    Mask open = X(0) < X(1);
    for (int i = 0; i < watch.contact_count; ++i) open = both(open, p[watch.contacts[i].mode] < X(0.5));
    return open;
  }

  /// Makes a step, or a part of it from its beginning on, in the lanes given.
  KALABA_NOINLINE static void move(Member<M, X>& member, const Method& method, const Interval<X>& interval,
                                   const X& part, const Mask& lanes) {
    OpenMotion motion;
    Member<Open, X> moving = begin(member);
    motion.loop.step_alone(moving, prepared<Open>(moving.p), method, interval, part, lanes);
    copy_moved(lanes, moving, member);
  }

  /// Computes (q', w').
  KALABA_NOINLINE static void find_rates(const Member<M, X>& member, const Method& method, const X& t, S& dot) {
    OpenMotion motion;
    motion.loop.find_rates(Solo{}, begin(member), method, t, dot);
  }

  /// Makes steps of the grid in the lanes `lanes` as long as no contact can close in them, until step `until` at most.
  /// `at`: number of the next step of each lane, counted from `first`.
  KALABA_NOINLINE static void advance(Member<M, X>& member, const Method& method, const TimeGrid& time, long first,
                                      const X& until, X& at, Mask lanes) {
    const X begin_of_call(static_cast<double>(first));
    OpenMotion motion;
    Member<Open, X> moving = begin(member);
    const P p = prepared<Open>(moving.p);
    const auto full = prepared<M>(member.p);
    Interval<X> now = Interval<X>::of_each(time, begin_of_call + at);
    Gaps gaps = M::contact_gaps(full, now.begin, moving.q, moving.w);
    Vec<X, nq> speed = velocity_of<Open>(p, now.begin, moving.q, moving.w);
    while (any(lanes)) {
      Moved before;
      copy_moved(X(0) < X(1), moving, before);
      motion.loop.step_alone(moving, p, method, now, X(1), lanes);
      const Gaps later = M::contact_gaps(full, now.end, moving.q, moving.w);
      const Vec<X, nq> speed_later = velocity_of<Open>(p, now.end, moving.q, moving.w);
      X within[M::contacts][OpenStep<X>::places];
      KALABA_UNROLL
      for (int k = 0; k < OpenStep<X>::places; ++k) {
        const double part = OpenStep<X>::place(k);
        const PlaceInStep<X> place = {X(0) < X(1), X(part), X(1 - part), now.length};
        Vec<X, nq> q;
        for (int i = 0; i < nq; ++i) {
          q[i] = cubic_at(place, before.q[i], moving.q[i], speed[i], speed_later[i], X(0));
        }
        const Gaps seen = M::contact_gaps(full, now.at(X(part)), q, moving.w);
        for (int i = 0; i < M::contacts; ++i) within[i][k] = seen[i];
      }
      Mask stays = both(lanes, moving.status == X(0));
      KALABA_UNROLL
      for (int i = 0; i < M::contacts; ++i) {
        const int rate = M::contacts + i;
        const GapAt<X> from = {X(0), gaps[i], now.length * gaps[rate]};
        const GapAt<X> to = {X(1), later[i], now.length * later[rate]};
        stays = both(stays, OpenStep<X>::stays_open(from, to, within[i]));
      }
      const Mask fails = both(lanes, !stays);
      if (any(fails)) copy_moved(fails, before, moving);
      at = at + select(stays, X(1), X(0));
      lanes = both(stays, at < until);
      // The numbers of the other lanes are not used any more.
      gaps = later;
      speed = speed_later;
      now = Interval<X>::of_each(time, begin_of_call + at);
    }
    copy_moved(X(0) < X(1), moving, member);
  }

 private:
  /// The numbers of a member that a step may change.
  struct Moved : S, MemberOutcome<X> {};

  /// Copies them in the lanes `where`.
  template <class From, class To>
  KALABA_FN static void copy_moved(const Mask& where, const From& from, To& to) {
    copy_where(Solo{}, where, from, to);
    for_each_outcome(from, to, [&](const X& number, X& into) KALABA_LAMBDA { into = select(where, number, into); });
  }
  KALABA_FN static Member<Open, X> begin(const Member<M, X>& member) {
    Member<Open, X> moving;
    for (int i = 0; i < Dim<M>::parameters; ++i) moving.p[i] = member.p[i];
    copy_moved(X(0) < X(1), member, moving);
    return moving;
  }
};

}  // namespace kalaba
