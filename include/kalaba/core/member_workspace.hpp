#pragma once

#include "kalaba/core/field.hpp"
#include "kalaba/core/jacobi_svd.hpp"
#include "kalaba/core/pivoted_qr.hpp"
#include "kalaba/core/projection.hpp"

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

  /// What else its time loop keeps: nothing.
  template <class Visit>
  KALABA_FN void each_kept(const Visit&) {}
};

/// What is observed of a member at one instant.
template <class M, class X>
struct Observed {
  using W = Vec<X, Dim<M>::w>;
  using E = Vec<X, Dim<M>::constraints>;

  Vec<X, Dim<M>::q> q;
  W w;
  W constraint_force;  ///< ideal and non-ideal
  W ideal_force;
  W non_ideal_force;
  W constraint_rate;  ///< F^-T B+ b: the least rate that meets the constraints
  W balance_rate;     ///< w' less that: what balances momentum, orthogonal to it in G
  E multipliers;
  E constraints;  ///< phi and psi
  X residual;     ///< max |A w' - b|
  X violation;    ///< max |phi|, |phi'|, |psi|
  X rank;
  X sigma_kept;     ///< smallest singular value of B that counts in its rank (a pivot, for QR)
  X sigma_dropped;  ///< largest one that does not
  X energy;
  Vec<X, Dim<M>::invariants> invariants;
};

/// Calls visit(field, its values, how many) for every field, in the order of Field.
template <class M, class X, class Visit>
KALABA_FN void for_each_field(const Observed<M, X>& seen, const Visit& visit) {
  constexpr int n = Dim<M>::w;
  constexpr int m = Dim<M>::constraints;
  visit(Field::q, seen.q.data, Dim<M>::q);
  visit(Field::w, seen.w.data, n);
  visit(Field::constraint_force, seen.constraint_force.data, n);
  visit(Field::ideal_force, seen.ideal_force.data, n);
  visit(Field::non_ideal_force, seen.non_ideal_force.data, n);
  visit(Field::constraint_rate, seen.constraint_rate.data, n);
  visit(Field::balance_rate, seen.balance_rate.data, n);
  visit(Field::multipliers, seen.multipliers.data, m);
  visit(Field::constraints, seen.constraints.data, m);
  visit(Field::residual, &seen.residual, 1);
  visit(Field::violation, &seen.violation, 1);
  visit(Field::rank, &seen.rank, 1);
  visit(Field::sigma_kept, &seen.sigma_kept, 1);
  visit(Field::sigma_dropped, &seen.sigma_dropped, 1);
  visit(Field::energy, &seen.energy, ModelParts<M>::has_energy ? 1 : 0);
  visit(Field::invariants, seen.invariants.data, Dim<M>::invariants);
}

/// What every time loop of a member shares: the rate and the projection with their workspace, how a member starts and
/// how it is observed. The caller places it (stack, registers, shared memory). Inverse is JacobiSvd or PivotedQr.
template <class M, class X, template <class, int, int> class Inverse>
struct MemberWorkspace {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  using Rate = ConstrainedRate<M, X, Inverse>;
  using Mask = MaskOf<X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;

  static constexpr int step_iterations = 8;    ///< bound on the projection after a step
  static constexpr int start_iterations = 50;  ///< bound on the projection of an initial state

  Rate rate;
  Projection<M, X, Inverse> projection;

  /// Puts the initial state on the constraints, if asked, and finds members that cannot start; those keep the state
  /// they were given.
  template <class Team>
  KALABA_FN void start(const Team& team, Member<M, X>& member, const Method& method, const X& t, bool project) {
    X code = with_status(member.status, !finite_member(member), Status::non_finite);
    const auto p = prepared<M>(member.p);
    const Mask positive = rate.at.evaluate(team, p, t, member.q, member.w);
    code = with_status(code, !positive, Status::singular_constraints);
    if constexpr (m > 0 && !Rate::servo) {
      if (project) {
        const Mask alive = code == X(0);
        const auto given_q = member.q;
        const auto given_w = member.w;
        const Mask converged =
            projection.apply(team, rate, method, p, t, member.q, member.w, alive, start_iterations, false);
        code = with_status(code, !converged, Status::inconsistent_constraints);
        const Mask failed = both(alive, code != X(0));
        team.template each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(failed, given_q[i], member.q[i]); });
        team.template each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(failed, given_w[i], member.w[i]); });
      }
    }
    if constexpr (ModelParts<M>::has_valid) {
      code = with_status(code, !M::valid(p, t, member.q, member.w), Status::singular_constraints);
    }
    team.once([&]() KALABA_LAMBDA { member.status = code; });
  }

  template <class Team>
  KALABA_FN void observe(const Team& team, const Member<M, X>& member, const Method& method, const X& t,
                         Observed<M, X>& out) {
    const auto p = prepared<M>(member.p);
    rate.evaluate(team, method, p, t, member.q, member.w, false, false);
    team.once([&]() KALABA_LAMBDA {
      out.q = member.q;
      out.w = member.w;
      out.constraint_force = rate.force_of(rate.whitened);
      if constexpr (ModelParts<M>::has_energy) out.energy = M::energy(p, t, member.q, member.w);
      if constexpr (Dim<M>::invariants > 0) out.invariants = M::invariant(p, t, member.q, member.w);
    });
    observe_parts(team, out);
    if constexpr (m > 0) {
      observe_constraints(team, out);
      X residual(0);
      for (int r = 0; r < m; ++r) residual = max_of(residual, abs(rate.distance(r, rate.w_dot)));
      team.once([&]() KALABA_LAMBDA { out.residual = residual; });
    } else {
      team.once(
          [&]() KALABA_LAMBDA { out.residual = out.violation = out.rank = out.sigma_kept = out.sigma_dropped = X(0); });
    }
  }

  /// Ends a step in (q, w) at t: puts it on the constraints where it is `alive`, if asked, and says whether it can be
  /// kept. Takes and returns a status code.
  template <class Team>
  KALABA_FN X settle(const Team& team, const Method& method, const Prepared<M, X>& p, const X& t, Q& q, W& w,
                     const Mask& alive, X code) {
    code = with_status(code, !finite_state(q, w), Status::non_finite);
    if constexpr (m > 0 && !Rate::servo) {
      if (method.stabilization.kind == Stabilization::Kind::projection) {
        const Mask good = both(alive, code == X(0));
        const Mask converged = projection.apply(team, rate, method, p, t, q, w, good, step_iterations, true);
        code = with_status(code, !converged, Status::not_converged);
      }
    }
    if constexpr (ModelParts<M>::has_valid) {
      code = with_status(code, !M::valid(p, t, q, w), Status::singular_constraints);
    }
    return code;
  }

  /// Notes the rank of A at the rate last evaluated.
  template <class Team>
  KALABA_FN void count_rank_change(const Team& team, Member<M, X>& member, const Mask& alive) {
    if constexpr (m > 0) {
      const X now = rate.inverse.rank();
      const Mask changed = both(both(alive, X(0) <= member.rank), now != member.rank);
      team.once([&]() KALABA_LAMBDA {
        member.rank_changes = member.rank_changes + select(changed, X(1), X(0));
        member.rank = select(alive, now, member.rank);
      });
    }
  }

 private:
  /// Splits the constraint force and the rate.
  template <class Team>
  KALABA_FN void observe_parts(const Team& team, Observed<M, X>& out) {
    if constexpr (m > 0) {
      rate.push(team, rate.error, out.ideal_force);
      rate.push(team, rate.at.constraint.b, out.constraint_rate);
    } else {
      team.template each<n>([&](int i) KALABA_LAMBDA { out.ideal_force[i] = out.constraint_rate[i] = X(0); });
    }
    team.once([&]() KALABA_LAMBDA {
      out.ideal_force = rate.force_of(out.ideal_force);
      rate.at.factor.unwhiten(out.constraint_rate.data);
      for (int i = 0; i < n; ++i) {
        out.non_ideal_force[i] = ModelParts<M>::has_non_ideal ? out.constraint_force[i] - out.ideal_force[i] : X(0);
        out.balance_rate[i] = rate.w_dot[i] - out.constraint_rate[i];
      }
    });
  }

  template <class Team>
  KALABA_FN void observe_constraints(const Team& team, Observed<M, X>& out) {
    rate.inverse.multipliers(team, rate.error, out.multipliers);
    team.once([&]() KALABA_LAMBDA {
      out.rank = rate.inverse.rank();
      out.sigma_kept = rate.inverse.smallest_kept();
      out.sigma_dropped = rate.inverse.largest_dropped();
      out.violation = rate.at.constraint.violation();
      for (int r = 0; r < m; ++r) {
        if (r < Dim<M>::holonomic) {
          out.constraints[r] = rate.at.constraint.position[r < Dim<M>::holonomic ? r : 0];
        } else {
          out.constraints[r] = rate.at.constraint.rate[r];
        }
      }
    });
  }

  KALABA_FN static Mask finite_state(const Q& q, const W& w) {
    Mask finite = X(0) < X(1);
    KALABA_UNROLL
    for (int i = 0; i < nq; ++i) finite = both(finite, is_finite(q[i]));
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) finite = both(finite, is_finite(w[i]));
    return finite;
  }
  KALABA_FN static Mask finite_member(const Member<M, X>& member) {
    Mask finite = X(0) < X(1);
    for (int i = 0; i < Dim<M>::parameters; ++i) finite = both(finite, is_finite(member.p[i]));
    for (int i = 0; i < nq; ++i) finite = both(finite, is_finite(member.q[i]));
    for (int i = 0; i < n; ++i) finite = both(finite, is_finite(member.w[i]));
    return finite;
  }
};

}  // namespace kalaba
