#pragma once

#include "kalaba/core/adaptive.hpp"
#include "kalaba/core/member.hpp"
#include "kernels/batch.hpp"

namespace kalaba {

/// What the kernels do with one member of a batch, and the workspace for it: registers of one thread, or shared memory
/// of a tile. Nothing here knows a thread index, so that a CPU can run it too. Loop is MemberLoop or AdaptiveLoop.
template <class M, class X, template <class, int, int> class Inverse,
          template <class, class, template <class, int, int> class> class Loop = MemberLoop>
struct MemberWork {
  using Model = M;
  static constexpr int m = Dim<M>::constraints;
  static constexpr bool adapts = !Loop<M, X, Inverse>::keeps_rotation;
  static constexpr bool warm_starts = !adapts && requires(Inverse<X, m, reach_of<M>()> inverse) {
    inverse.rotation.data;
  };
  static constexpr BatchLayout layout = {Dim<M>::parameters, Dim<M>::q, Dim<M>::w, warm_starts ? m* m : 0,
                                         adapts ? kept_numbers(Integrator::dopri5, Dim<M>::q, Dim<M>::w) : 0};

  typename Loop<M, X, Inverse>::Kept member;
  Loop<M, X, Inverse> loop;
  Observed<M, X> seen;

  template <class Team>
  KALABA_FN void start(const Team& team, const Batch& batch, long index, const Method& method, double time,
                       bool project) {
    load(team, batch, index);
    team.once([&] {
      member.rank = X(-1);
      member.each_kept([](X* numbers, int count) {
        for (int i = 0; i < count; ++i) numbers[i] = X(0);
      });
    });
    loop.start(team, member, method, X(time), project);
    store(team, batch, index, time);
  }

  template <class Team>
  KALABA_FN void advance(const Team& team, const Batch& batch, long index, const Method& method, const TimeGrid& time,
                         long first_step, long steps) {
    load(team, batch, index);
    loop.advance(team, member, method, time, first_step, steps);
    if constexpr (adapts) {
      store(team, batch, index, static_cast<double>(member.time));
    } else {
      store(team, batch, index, time.at(first_step + static_cast<long>(member.failed_step)));
    }
  }

  /// Writes coordinates and rates as rows of `to` with the batch's stride.
  template <class Team>
  KALABA_FN static void copy_state(const Team& team, const Batch& batch, long index, double* to) {
    team.template each<Dim<M>::q + Dim<M>::w>(
        [&](int i) { to[i * batch.stride + index] = batch.at(layout.q() + i, index); });
  }

  /// What MemberLoop::advance leaves to others: the projection after step `step`, which was taken without. A member
  /// that cannot be projected fails with the state `before` the step, as copy_state wrote it.
  template <class Team>
  KALABA_FN void project(const Team& team, const Batch& batch, long index, const Method& method, const TimeGrid& time,
                         long step, const double* before) {
    load(team, batch, index);
    const auto p = prepared<M>(member.p);
    const bool alive = member.status == X(0);
    const bool converged = loop.projection.apply(team, loop.rate, method, p, X(time.at(step + 1)), member.q, member.w,
                                                 alive, decltype(loop)::step_iterations, false);
    if (alive && !converged) {
      team.template each<Dim<M>::q>([&](int i) { member.q[i] = static_cast<X>(before[i * batch.stride + index]); });
      team.template each<Dim<M>::w>(
          [&](int i) { member.w[i] = static_cast<X>(before[(Dim<M>::q + i) * batch.stride + index]); });
      team.once([&] { member.status = X(static_cast<int>(Status::not_converged)); });
    }
    store(team, batch, index, time.at(step));
  }

  /// Writes the status, then the fields whose bits are set, in the order of Field, as rows of `out` with the batch's
  /// stride.
  template <class Team>
  KALABA_FN void observe(const Team& team, const Batch& batch, long index, const Method& method, double time,
                         unsigned fields, double* out) {
    load(team, batch, index);
    look(team, batch, index, method, time, fields, out);
  }

  /// The same at t, between step `step` of the grid, where the member is, and the next; the batch stays as it is.
  template <class Team>
  KALABA_FN void observe_between(const Team& team, const Batch& batch, long index, const Method& method,
                                 const TimeGrid& time, long step, double t, unsigned fields, double* out) {
    load(team, batch, index);
    if constexpr (adapts) {
      loop.advance_to(team, member, method, time, step, t);
    } else {  // one shorter step, as good as the others
      const double begin = time.at(step);
      loop.advance(team, member, method, {.start = begin, .end = t, .dt = t - begin}, 0, 1);
    }
    look(team, batch, index, method, t, fields, out);
  }

 protected:
  template <class Team>
  KALABA_FN void look(const Team& team, const Batch& batch, long index, const Method& method, double time,
                      unsigned fields, double* out) {
    loop.observe(team, member, method, X(time), seen);
    team.once([&] {
      out[index] = static_cast<double>(member.status);
      int row = 1;
      for_each_field(seen, [&](Field field, const X* values, int components) {
        if ((fields >> static_cast<int>(field) & 1U) == 0) return;
        for (int i = 0; i < components; ++i) {
          out[(row + i) * batch.stride + index] = static_cast<double>(values[i]);
        }
        row += components;
      });
    });
  }

  template <class Team>
  KALABA_FN void load(const Team& team, const Batch& batch, long index) {
    load_rows<layout.parameters>(team, batch, index, layout.parameter(), member.p.data);
    load_rows<layout.coordinates>(team, batch, index, layout.q(), member.q.data);
    load_rows<layout.rates>(team, batch, index, layout.w(), member.w.data);
    load_rows<layout.rotations>(team, batch, index, layout.rotation(), member.rotation.data);
    team.once([&] {
      member.status = static_cast<X>(batch.at(layout.status(), index));
      member.failed_step = X(0);
      member.rank = static_cast<X>(batch.at(layout.rank(), index));
      member.rank_changes = static_cast<X>(batch.at(layout.rank_changes(), index));
      int row = layout.kept_number();
      member.each_kept([&](X* numbers, int count) {
        for (int i = 0; i < count; ++i) numbers[i] = static_cast<X>(batch.at(row++, index));
      });
    });
    team.template each<1>([](int) {});  // all see the member
  }

  /// A member that failed in this call did so at `failure_time`.
  template <class Team>
  KALABA_FN void store(const Team& team, const Batch& batch, long index, double failure_time) {
    store_rows<layout.coordinates>(team, batch, index, layout.q(), member.q.data);
    store_rows<layout.rates>(team, batch, index, layout.w(), member.w.data);
    store_rows<layout.rotations>(team, batch, index, layout.rotation(), member.rotation.data);
    team.once([&] {
      double& status = batch.at(layout.status(), index);
      const auto now = static_cast<double>(member.status);
      if (status != now) batch.at(layout.failure_time(), index) = failure_time;
      status = now;
      batch.at(layout.rank(), index) = static_cast<double>(member.rank);
      batch.at(layout.rank_changes(), index) = static_cast<double>(member.rank_changes);
      int row = layout.kept_number();
      member.each_kept([&](const X* numbers, int count) {
        for (int i = 0; i < count; ++i) batch.at(row++, index) = static_cast<double>(numbers[i]);
      });
    });
  }

  template <int Rows, class Team>
  KALABA_FN static void load_rows(const Team& team, const Batch& batch, long index, int first, X* to) {
    team.template each<Rows>([&](int i) { to[i] = static_cast<X>(batch.at(first + i, index)); });
  }
  template <int Rows, class Team>
  KALABA_FN static void store_rows(const Team& team, const Batch& batch, long index, int first, const X* from) {
    team.template each<Rows>([&](int i) { batch.at(first + i, index) = static_cast<double>(from[i]); });
  }
};

}  // namespace kalaba
