#pragma once

#include "kernels/member_work.hpp"

namespace kalaba {

/// The rows of a member's events in a batch.
template <class X>
struct BatchRows {
  Batch batch;
  long index;
  int first;
  bool notes;

  KALABA_FN bool keeps() const { return notes; }
  KALABA_FN X get(int row) const { return static_cast<X>(batch.at(first + row, index)); }
  KALABA_FN void put(int row, const X& value) const { batch.at(first + row, index) = static_cast<double>(value); }
};

/// Room beside a member whose events are watched.
template <class Kept>
struct WatchedSpace;
template <class M, class X>
struct WatchedSpace<Member<M, X>> {
  WatchedMember<M, X> watched;
  Member<M, X> whole;
};
template <class M, class X>
struct WatchedSpace<AdaptiveMember<M, X>> {
  struct {
    X ends;
  } watched;
};

/// A MemberWork that watches events; the rows that they leave come behind those of the MemberWork.
template <class M, class X, template <class, int, int> class Inverse,
          template <class, class, template <class, int, int> class> class Loop = MemberLoop>
struct WatchedWork : MemberWork<M, X, Inverse, Loop> {
  using Base = MemberWork<M, X, Inverse, Loop>;
  using Base::loop;
  using Base::member;

  WatchedSpace<typename Loop<M, X, Inverse>::Kept> space;

  /// As MemberWork's, with an eye on the events.
  template <class Team>
  KALABA_FN void advance(const Team& team, const Batch& batch, long index, const Method& method, const Watch& watch,
                         const TimeGrid& time, long first_step, long steps) {
    const BatchRows<X> rows = load_all(team, batch, index, true);
    if constexpr (Base::adapts) {
      loop.advance_watching(team, member, method, time, first_step, time.at(first_step + steps), watch,
                            space.watched.ends, rows);
    } else {
      loop.advance_watching(team, member, method, time, first_step, steps, watch, space.watched, rows);
    }
    double failure_time = 0;
    if constexpr (Base::adapts) {
      failure_time = static_cast<double>(member.time);
    } else {
      failure_time = time.at(first_step + static_cast<long>(member.failed_step));
    }
    if (member.status == X(static_cast<int>(Status::stopped))) failure_time = static_cast<double>(space.watched.ends);
    this->store(team, batch, index, failure_time);
    team.once([&] { rows.put(EventRows{0, 0}.ends(), space.watched.ends); });
  }

  /// As MemberWork's, up to where an event stops the member before t.
  template <class Team>
  KALABA_FN void observe_between(const Team& team, const Batch& batch, long index, const Method& method,
                                 const Watch& watch, const TimeGrid& time, long step, double t, unsigned fields,
                                 double* out) {
    const BatchRows<X> rows = load_all(team, batch, index, false);
    if constexpr (Base::adapts) {
      loop.advance_watching(team, member, method, time, step, t, watch, space.watched.ends, rows);
    } else {
      loop.advance_between(team, member, method, time, step, t, watch, space.watched, space.whole, rows);
    }
    this->look(team, batch, index, method, t, fields, out);
  }

 private:
  template <class Team>
  KALABA_FN BatchRows<X> load_all(const Team& team, const Batch& batch, long index, bool notes) {
    this->load(team, batch, index);
    const BatchRows<X> rows = {batch, index, Base::layout.event(), notes};
    team.once([&] { space.watched.ends = rows.get(EventRows{0, 0}.ends()); });
    return rows;
  }
};

}  // namespace kalaba
