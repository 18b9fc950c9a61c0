#pragma once

#include "kalaba/core/events/watch.hpp"
#include "kalaba/core/member/member_workspace.hpp"

namespace kalaba {

/// Derivatives of an event along the sensitivity columns of its member. At the event g(p, t, q, w) = 0,
///
///   dt = -dg / g',   and the state at the event changes by  dx + x' dt,
///
/// with dg and dx at fixed time. For one worker.
template <class M, class X>
struct EventColumns {
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int count = Dim<M>::sensitivities;
  using D = Dual<X, 1>;

  TimeColumns<M, X> time;
  Columns<M, X> state;

  /// Computes them for an event at t, in the state of the member. The workspace is the time loop's.
  template <class Loop, class AtEvent>
  KALABA_NOINLINE void find(Loop& loop, const Watch& watch, int event, const Method& method, const AtEvent& member,
                            const X& t) {
    loop.find_rate_before(method, member, t);
    const State<X, nq, n>& dot = loop.rate.dot;
    Instant x = {constants<D>(member.p), D(t), constants<D>(member.q), constants<D>(member.w)};
    x.t.slope[0] = X(1);
    for (int i = 0; i < nq; ++i) x.q[i].slope[0] = dot.q[i];
    for (int i = 0; i < n; ++i) x.w[i].slope[0] = dot.w[i];
    const X speed = slope_of(watch, event, x);
    x.t.slope[0] = X(0);
    for (int column = 0; column < count; ++column) {
      for (int i = 0; i < np; ++i) x.p[i].slope[0] = X(loop.tangents.asked.of[column] == i ? 1 : 0);
      for (int i = 0; i < nq; ++i) x.q[i].slope[0] = member.columns.q[column * nq + i];
      for (int i = 0; i < n; ++i) x.w[i].slope[0] = member.columns.w[column * n + i];
      const X shift = -slope_of(watch, event, x) / speed;
      time.t[column] = shift;
      for (int i = 0; i < nq; ++i) state.q[column * nq + i] = fma(dot.q[i], shift, x.q[i].slope[0]);
      for (int i = 0; i < n; ++i) state.w[column * n + i] = fma(dot.w[i], shift, x.w[i].slope[0]);
    }
  }

  /// Stores them if this is the first event of its kind; call it before `record_event` counts the event.
  template <class Rows>
  KALABA_FN void note(int event, const MaskOf<X>& counts, const Rows& rows) const {
    if (!rows.keeps()) return;
    constexpr EventRows at = {nq, n, count};
    const auto first = both(counts, rows.get(at.count(event)) == X(0));
    const auto put = [&](int row, const X& value) KALABA_LAMBDA { rows.put(row, select(first, value, rows.get(row))); };
    for (int i = 0; i < count; ++i) put(at.time_slopes(event) + i, time.t[i]);
    for (int i = 0; i < count * nq; ++i) put(at.q_slopes(event) + i, state.q[i]);
    for (int i = 0; i < count * n; ++i) put(at.w_slopes(event) + i, state.w[i]);
  }

  /// Sets a member's columns, and those of its time, to those at the event, in the lanes that the event `stops`.
  KALABA_FN void stop(const MaskOf<X>& stops, Columns<M, X>& columns, TimeColumns<M, X>& of_time) const {
    copy_where(Solo{}, stops, state, columns);
    of_time.put(stops, time);
  }

 private:
  struct Instant {
    Vec<D, np> p;
    D t;
    Vec<D, nq> q;
    Vec<D, n> w;
  };

  KALABA_FN static X slope_of(const Watch& watch, int event, const Instant& x) {
    constexpr WatchedRows at = EventSpace<M, X>::rows;
    Vec<D, at.rows()> observed;
    if (watch.energy || watch.invariants) observe_state<M>(prepared<M>(x.p), x.t, x.q, x.w, observed.data);
    if constexpr (has_contacts<M>()) {
      for (int r = 0; r < Dim<M>::constraints; ++r) observed[at.multiplier(r)] = D(X(0));
      if (watch.has_contacts()) {
        const auto gaps = M::contact_gaps(prepared<M>(x.p), x.t, x.q, x.w);
        for (int i = 0; i < watch.contact_count; ++i) {
          observed[at.gap(i)] = gaps[i];
          observed[at.gap_rate(i)] = gaps[watch.contact_count + i];
        }
      }
    }
    const StateView<D> state = {x.t, x.q.data, x.w.data, observed.data};
    return value_of(watch.events[event].expression, x.p.data, state).slope[0];
  }
};

}  // namespace kalaba
