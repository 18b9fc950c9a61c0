#pragma once

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/core/inverse/pseudo_inverses.hpp"
#include "kalaba/core/loop/member_work.hpp"

namespace kalaba {

/// Access to the members of a pack in a block.
template <class X>
struct PackPlace {
  const MemberRows& rows;
  long at;  ///< member of the first lane
  PauseWord asked = {};

  template <class>
  KALABA_FN X get(Part part, int row) const {
    return X::from(rows.parts[static_cast<int>(part)] + row * rows.stride + at);
  }
  KALABA_FN void put(Part part, int row, const X& value) const {
    value.to(rows.parts[static_cast<int>(part)] + row * rows.stride + at);
  }
  template <class>
  KALABA_FN X status() const {
    Scalar<X> lanes[X::lanes];
    for (int lane = 0; lane < X::lanes; ++lane) lanes[lane] = static_cast<Scalar<X>>(rows.status[at + lane]);
    return X::load(lanes);
  }
  template <class TimeOf>
  KALABA_FN void end(const X& status, const TimeOf& time_of) const {
    Scalar<X> lanes[X::lanes];
    status.store(lanes);
    for (int lane = 0; lane < X::lanes; ++lane) {
      const auto now = static_cast<Status>(static_cast<int>(lanes[lane]));
      if (rows.status[at + lane] == now) continue;
      rows.status[at + lane] = now;
      rows.failure_time[at + lane] = time_of(lane);
    }
  }
  KALABA_FN PauseWord pause() const { return asked; }
  template <class>
  KALABA_FN X ended(double time) const {
    double lanes[X::lanes];
    for (int lane = 0; lane < X::lanes; ++lane) {
      const double end = rows.failure_time[at + lane];
      lanes[lane] = end == end ? end : time;
    }
    return X::from(lanes);
  }
};

/// Output of the observations of a pack.
template <class X>
struct PackOut {
  const ObservedRows& rows;
  long stride;
  long at;

  KALABA_FN void status(const X& status) const {
    Scalar<X> lanes[X::lanes];
    status.store(lanes);
    for (int lane = 0; lane < X::lanes; ++lane) {
      rows.status[at + lane] = static_cast<Status>(static_cast<int>(lanes[lane]));
    }
  }
  KALABA_FN void put(Field field, const X* values, int components) const {
    double* const to = rows.fields[static_cast<int>(field)];
    if (to == nullptr) return;
    for (int i = 0; i < components; ++i) values[i].to(to + i * stride + at);
  }
};

/// Access to the packs of a call. `memory` is the part of the workspace after the work's own.
template <class X>
struct PackSite {
  const PackCall& call;

  KALABA_FN PackSite(const PackCall& asked, void* /*memory*/) : call(asked) {}
  KALABA_FN PackPlace<X> place(long pack) const { return {call.rows, pack * X::lanes, call.pause}; }
  KALABA_FN PackOut<X> out(const ObservedRows& rows, long pack) const {
    return {rows, call.rows.stride, pack * X::lanes};
  }
  KALABA_FN const Watch& watch() const { return *call.watch; }
};

/// A MemberWork of packs, as MemberFunctions.
template <class Work, template <class> class SiteOf = PackSite>
struct PackWork {
  using Site = SiteOf<typename Work::Number>;
  using X = typename Work::Number;
  static constexpr long stack_limit = 1L << 18;   ///< bytes of workspace placed on the stack
  static constexpr long longest_call = 1L << 20;  ///< steps whose number is exact in float
  static constexpr bool on_stack = static_cast<long>(sizeof(Work)) <= stack_limit;

  static void start(const PackCall& call, double time, int project) {
    each(call, [&](Work& work, const Site& site, long pack) KALABA_LAMBDA {
      if constexpr (Work::watches) {
        work.start(Solo{}, site.place(pack), *call.method, time, project != 0, site.watch());
      } else {
        work.start(Solo{}, site.place(pack), *call.method, time, project != 0);
      }
    });
  }
  static void advance(const PackCall& call, const TimeGrid& time, long first_step, long steps) {
    each(call, [&](Work& work, const Site& site, long pack) KALABA_LAMBDA {
      const auto place = site.place(pack);
      for (long& made = call.made[pack]; made < steps;) {
        const long count = steps - made < longest_call ? steps - made : longest_call;
        made += work.advance(Solo{}, place, *call.method, site.watch(), time, first_step + made, count);
        if (call.pause.wanted()) return;
      }
    });
  }
  static void observe(const PackCall& call, double time, const ObservedRows& out) {
    each(call, [&](Work& work, const Site& site, long pack) KALABA_LAMBDA {
      auto to = site.out(out, pack);
      work.observe(Solo{}, site.place(pack), *call.method, time, to);
    });
  }
  static void observe_between(const PackCall& call, const TimeGrid& time, long step, double t,
                              const ObservedRows& out) {
    each(call, [&](Work& work, const Site& site, long pack) KALABA_LAMBDA {
      auto to = site.out(out, pack);
      work.observe_between(Solo{}, site.place(pack), *call.method, site.watch(), time, step, t, to);
    });
  }

  static constexpr long workspace_bytes = on_stack ? 0 : static_cast<long>((sizeof(Work) + 63) / 64 * 64);

 private:
  template <class Do>
  KALABA_FN static void each(const PackCall& call, const Do& work_on) {
    if constexpr (on_stack) {
      Work work;
      all(work, call, work_on);
    } else {
      all(*static_cast<Work*>(call.workspace), call, work_on);
    }
  }
  template <class Do>
  KALABA_FN static void all(Work& work, const PackCall& call, const Do& work_on) {
    work.ask(*call.sensitivities);
    const Site site(call, static_cast<char*>(call.workspace) + workspace_bytes);
    for (long pack = call.first; pack < call.last; ++pack) {
      work_on(work, site, pack);
      if (call.pause.wanted()) return;
    }
  }
};

/// Returns the MemberFunctions of a model: `Standing` starts and observes members, `Moving` advances them.
template <class Standing, class Moving, template <class> class SiteOf = PackSite>
MemberFunctions member_functions() {
  using X = typename Moving::Number;
  using Stands = PackWork<Standing, SiteOf>;
  using Moves = PackWork<Moving, SiteOf>;
  constexpr long standing = Stands::workspace_bytes;
  constexpr long moving = Moves::workspace_bytes;
  MemberFunctions all = {X::lanes,
                         Moving::np,
                         Moving::nq,
                         Moving::n,
                         Moving::rotations,
                         Moving::persistent,
                         {},
                         standing < moving ? moving : standing,
                         &Stands::start,
                         &Moves::advance,
                         &Stands::observe,
                         &Moves::observe_between};
  const Observed<typename Moving::Model, Scalar<X>> observed = {};
  for_each_field(observed, [&](Field field, const Scalar<X>*, int components)
                               KALABA_LAMBDA { all.components[static_cast<int>(field)] = components; });
  return all;
}

/// Returns the functions of a model whose steps and observations use one pseudo-inverse.
template <class M, class X, template <class, int, int> class Inverse,
          template <class, class, template <class, int, int> class> class Loop, bool Watches>
MemberFunctions functions_by() {
  return member_functions<MemberWork<M, X, Inverse, StandingLoop, Watches>, MemberWork<M, X, Inverse, Loop, Watches>>();
}

/// Returns the functions of a model by its pseudo-inverse. For a single row all of them are the same division.
template <class M, class X, PseudoInverse By, template <class, class, template <class, int, int> class> class Loop,
          bool Watches>
MemberFunctions model_functions() {
  return with_pseudo_inverse<(Dim<M>::constraints > 1 ? By : PseudoInverse::svd)>(
      []<template <class, int, int> class Inverse>() { return functions_by<M, X, Inverse, Loop, Watches>(); });
}

}  // namespace kalaba
