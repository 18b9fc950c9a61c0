#pragma once

#include "kalaba/core/member/event_columns.hpp"

namespace kalaba {

/// Derivatives of a member through a change by events, whose time t* has the derivatives dt* along the columns. Before
/// and after the change the state at the time of the change itself has the derivatives
///
///   dx- + x'- dt*,   and   dx+ = R_x (dx- + x'- dt*) + R_p dp + R_t dt* - x'+ dt*,
///
/// with R the change (docs/mechanics.md, Sensitivities). `begin` and `end` add the terms with x'; what makes the change
/// applies the derivatives of R. For one worker.
template <class M, class X, bool Any = (Dim<M>::sensitivities > 0)>
struct Saltation {
  TimeColumns<M, X> of_time;

  template <class... Arguments>
  KALABA_FN void begin(const Arguments&...) const {}
  template <class... Arguments>
  KALABA_FN void end(const Arguments&...) const {}
};
template <class M, class X>
struct Saltation<M, X, true> {
  using Mask = MaskOf<X>;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int count = Dim<M>::sensitivities;

  TimeColumns<M, X> of_time;

  /// Moves the columns to the time of the change at t, in the lanes `members`: that of the first event of `fired`
  /// (Flags) that is not a release of a contact. A contact opens where its force is zero, so that x' has no jump. A
  /// column along which coinciding events move apart becomes NaN: the derivative has two sides.
  template <class Loop, class AtEvent>
  KALABA_NOINLINE void begin(Loop& loop, const Watch& watch, AtEvent& member, const Method& method, const X& t,
                             const Mask& members, const X& fired) {
    of_time = TimeColumns<M, X>::zero();
    const Flags<X> flags(watch, fired);
    const Mask some = both(members, X(0) < fired);
    Mask open = some;
    const Columns<M, X> at_time = member.columns;
    for (int event = 0; event < watch.count; ++event) {
      const WatchedEvent& watched = watch.events[event];
      if (!watched.change.any()) continue;
      Mask counts = both(some, flags.of[event]);
      if (watched.contact >= 0) counts = both(counts, member.p[watch.contacts[watched.contact].mode] < X(0.5));
      if (!any(counts)) continue;
      EventColumns<M, X> found;
      Columns<M, X> moved = member.columns;
      member.columns = at_time;
      found.find(loop, watch, event, method, member, t);
      member.columns = moved;
      const Mask first = both(counts, open);
      separate(both(counts, !open), found.time, member.columns);
      of_time.put(first, found.time);
      copy_where(Solo{}, first, found.state, member.columns);
      open = both(open, !first);
    }
  }

  /// Moves the columns back from the time of the change at t, in the lanes `members`.
  template <template <class, int, int> class Inverse>
  KALABA_NOINLINE void end(MemberWorkspace<M, X, Inverse>& loop, Member<M, X>& member, const Method& method, const X& t,
                           const Mask& members) const {
    Mask moved = X(1) < X(0);
    for (int i = 0; i < count; ++i) moved = either(moved, both(members, !(of_time.t[i] == X(0))));
    loop.tangents.prepare(member.p);
    if (!any(moved)) return;
    const auto rule = RankRule<X>::at_step(method, member.rank);
    loop.rate.evaluate(Solo{}, method, rule, prepared<M>(member.p), t, member.q, member.w, false, false);
    const State<X, nq, n>& dot = loop.rate.dot;
    Columns<M, X>& columns = member.columns;
    for (int column = 0; column < count; ++column) {
      const X shift = -of_time.t[column];
      for (int i = 0; i < nq; ++i) {
        X& own = columns.q[column * nq + i];
        own = select(moved, fma(dot.q[i], shift, own), own);
      }
      for (int i = 0; i < n; ++i) {
        X& own = columns.w[column * n + i];
        own = select(moved, fma(dot.w[i], shift, own), own);
      }
    }
  }

 private:
  static constexpr double same = 1e-6;  ///< relative difference of derivatives that are equal

  /// Sets the columns along which another event's time moves otherwise than that of the change to NaN.
  KALABA_FN void separate(const Mask& where, const TimeColumns<M, X>& other, Columns<M, X>& columns) const {
    for (int column = 0; column < count; ++column) {
      const X a = of_time.t[column];
      const X b = other.t[column];
      const Mask apart = both(where, !(abs(a - b) <= X(same) * (abs(a) + abs(b))));
      const X nothing = X(0) / X(0);
      for (int i = 0; i < nq; ++i) columns.q[column * nq + i] = select(apart, nothing, columns.q[column * nq + i]);
      for (int i = 0; i < n; ++i) columns.w[column * n + i] = select(apart, nothing, columns.w[column * n + i]);
    }
  }
};

}  // namespace kalaba
