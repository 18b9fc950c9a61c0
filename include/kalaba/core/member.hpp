#pragma once

#include "kalaba/core/jacobi_svd.hpp"
#include "kalaba/core/pivoted_qr.hpp"
#include "kalaba/core/projection.hpp"
#include "kalaba/core/rk4.hpp"

namespace kalaba {

/// One ensemble member (or one a lane): what is kept of it between calls.
template <class M, class X>
struct Member {
  static constexpr int m = Dim<M>::constraints;

  Vec<X, Dim<M>::parameters> p;
  Vec<X, Dim<M>::q> q;
  Vec<X, Dim<M>::w> w;
  X status;               ///< Status as a number
  X failed_step;          ///< steps into the present call at which it failed
  X rank;                 ///< of A at the last step, -1 before the first
  X rank_changes;         ///< steps at which the rank differed from the step before
  Mat<X, m, m> rotation;  ///< where a warm-started pseudo-inverse goes on from
};

/// What is observed of a member at one instant.
template <class M, class X>
struct Observed {
  Vec<X, Dim<M>::w> constraint_force;
  Vec<X, Dim<M>::constraints> multipliers;
  X residual;   ///< max |A w' - b|
  X violation;  ///< max |phi|, |phi'|, |psi|
  X rank;
  X energy;
};

/// The member's time loop and its workspace, which the caller places (stack, registers, shared memory).
/// Inverse is JacobiSvd or PivotedQr.
template <class M, class X, template <class, int, int> class Inverse>
struct MemberLoop {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  using Rate = ConstrainedRate<M, X, Inverse<X, m, n>>;
  using Mask = MaskOf<X>;

  /// Steps (by index, so that nothing depends on how a run is cut) between fresh starts of the pseudo-inverse.
  static constexpr long restart_every = 16;
  static constexpr int step_iterations = 8;    ///< bound on the projection after a step
  static constexpr int start_iterations = 50;  ///< bound on the projection of an initial state

  Rate rate;
  Projection<M, X, Inverse> projection;
  Rk4<X, nq, n> integrator;

  /// Steps the member from step `first` of the grid. Members whose status is not ok keep still.
  template <class Team>
  KALABA_FN void advance(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time, long first,
                         long steps) {
    exchange_rotation(team, member, false);
    for (long step = 0; step < steps; ++step) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      const X code = try_step(team, member, method, time, first + step, alive);
      const Mask moved = both(alive, code == X(0));
      team.template each<nq>([&](int i) { member.q[i] = select(moved, integrator.q[i], member.q[i]); });
      team.template each<n>([&](int i) { member.w[i] = select(moved, integrator.w[i], member.w[i]); });
      team.once([&] {
        member.failed_step = select(both(alive, !moved), X(static_cast<int>(step)), member.failed_step);
        member.status = select(alive, code, member.status);
      });
    }
    exchange_rotation(team, member, true);
  }

  /// Puts the initial state on the constraints, if asked, and finds members that cannot start; those keep the state
  /// they were given.
  template <class Team>
  KALABA_FN void start(const Team& team, Member<M, X>& member, const Method& method, const X& t, bool project) {
    X code = with_status(member.status, !finite_member(member), Status::non_finite);
    const Mask positive = rate.factor.factorize(team, M::metric(member.p, t, member.q));
    code = with_status(code, !positive, Status::singular_constraints);
    if constexpr (m > 0) {
      if (project) {
        const Mask alive = code == X(0);
        const auto given_q = member.q;
        const auto given_w = member.w;
        const Mask converged =
            projection.apply(team, rate, method, member.p, t, member.q, member.w, alive, start_iterations, false);
        code = with_status(code, !converged, Status::inconsistent_constraints);
        const Mask failed = both(alive, code != X(0));
        team.template each<nq>([&](int i) { member.q[i] = select(failed, given_q[i], member.q[i]); });
        team.template each<n>([&](int i) { member.w[i] = select(failed, given_w[i], member.w[i]); });
      }
    }
    team.once([&] { member.status = code; });
  }

  template <class Team>
  KALABA_FN void observe(const Team& team, const Member<M, X>& member, const Method& method, const X& t,
                         Observed<M, X>& out) {
    rate.evaluate(team, method, member.p, t, member.q, member.w, false, false);
    X residual(0);
    if constexpr (m > 0) {
      rate.inverse.multipliers(team, rate.error, out.multipliers);
      team.once([&] { out.rank = rate.inverse.rank(); });
      constraint_matrix<M, m>(team, member.p, t, member.q, member.w, rate.inverse.rows);
      for (int r = 0; r < m; ++r) {
        X left = -rate.constraint.b[r];
        for (int i = 0; i < n; ++i) left = fma(rate.inverse.rows(r, i), rate.w_dot[i], left);
        residual = max_of(residual, abs(left));
      }
    }
    team.once([&] {
      if constexpr (m == 0) out.rank = X(0);
      out.constraint_force = rate.constraint_force();
      out.residual = residual;
      out.violation = X(0);
      if constexpr (m > 0) out.violation = rate.constraint.violation();
      if constexpr (ModelParts<M>::has_energy) out.energy = M::energy(member.p, t, member.q, member.w);
    });
  }

 private:
  /// One step into the integrator's workspace; returns a status code.
  template <class Team>
  KALABA_FN X try_step(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time, long step,
                       const Mask& alive) {
    X code(0);
    const auto evaluate = [&](int stage, const X& t, const Vec<X, nq>& q, const Vec<X, n>& w) {
      const bool warm = stage > 0 || step % restart_every != 0;
      const X found = rate.evaluate(team, method, member.p, t, q, w, warm, stage == 0);
      code = select(code == X(0), found, code);
      if (stage == 0) count_rank_change(team, member, alive);
    };
    integrator.step(team, X(time.at(step)), X(time.dt), member.q, member.w, rate.q_dot, rate.w_dot, evaluate);
    code = with_status(code, !finite_state(), Status::non_finite);
    const X after(time.at(step + 1));
    if constexpr (m > 0) {
      if (method.stabilization.kind == Stabilization::Kind::projection) {
        const Mask good = both(alive, code == X(0));
        const Mask converged = projection.apply(team, rate, method, member.p, after, integrator.q, integrator.w, good,
                                                step_iterations, true);
        code = with_status(code, !converged, Status::not_converged);
      }
    }
    if constexpr (ModelParts<M>::has_valid) {
      code = with_status(code, !M::valid(member.p, after, integrator.q, integrator.w), Status::singular_constraints);
    }
    return code;
  }

  template <class Team>
  KALABA_FN void count_rank_change(const Team& team, Member<M, X>& member, const Mask& alive) {
    if constexpr (m > 0) {
      const X now = rate.inverse.rank();
      const Mask changed = both(both(alive, X(0) <= member.rank), now != member.rank);
      team.once([&] {
        member.rank_changes = member.rank_changes + select(changed, X(1), X(0));
        member.rank = now;
      });
    }
  }

  KALABA_FN Mask finite_state() const {
    Mask finite = X(0) < X(1);
    KALABA_UNROLL
    for (int i = 0; i < nq; ++i) finite = both(finite, is_finite(integrator.q[i]));
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) finite = both(finite, is_finite(integrator.w[i]));
    return finite;
  }
  KALABA_FN static Mask finite_member(const Member<M, X>& member) {
    Mask finite = X(0) < X(1);
    for (int i = 0; i < Dim<M>::parameters; ++i) finite = both(finite, is_finite(member.p[i]));
    for (int i = 0; i < nq; ++i) finite = both(finite, is_finite(member.q[i]));
    for (int i = 0; i < n; ++i) finite = both(finite, is_finite(member.w[i]));
    return finite;
  }

  /// Moves the warm start between the member and the pseudo-inverse, where it has one.
  template <class Team>
  KALABA_FN void exchange_rotation(const Team& team, Member<M, X>& member, bool out) {
    if constexpr (requires(Inverse<X, m, n> & inverse) { inverse.rotation.data; }) {
      team.template each<m * m>([&](int i) {
        if (out) {
          member.rotation.data[i] = rate.inverse.rotation.data[i];
        } else {
          rate.inverse.rotation.data[i] = member.rotation.data[i];
        }
      });
    }
  }
};

}  // namespace kalaba
