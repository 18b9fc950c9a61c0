#pragma once

#include "kalaba/core/events/watch.hpp"
#include "kalaba/core/member/member_state.hpp"
#include "kalaba/core/rate/constrained_rate.hpp"
#include "kalaba/core/sensitivities/tangent.hpp"

namespace kalaba {

/// Rate of a member and of its columns with their workspace, and the observation of the member.
template <class M, class X, template <class, int, int> class Inverse>
struct ObservedMember {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr bool differentiates = Dim<M>::sensitivities > 0;
  using Rate = ConstrainedRate<M, X, Inverse>;
  using Mask = MaskOf<X>;
  using S = State<X, nq, n>;

  Rate rate;
  TangentsOf<M, X, Inverse> tangents;

  template <class Team>
  KALABA_FN void observe(const Team& team, const Member<M, X>& member, const Method& method, const X& t,
                         Observed<M, X>& out) {
    const auto p = prepared<M>(member.p);
    rate.evaluate(team, method, RankRule<X>::at_step(method, member.rank), p, t, member.q, member.w, false, false);
    team.single([&]() KALABA_LAMBDA {
      out.q = member.q;
      out.w = member.w;
      if constexpr (differentiates) out.columns = member.columns;
      out.constraint_force = rate.force_of(rate.weighted_correction);
      if constexpr (ModelParts<M>::has_energy) out.energy = M::energy(p, t, member.q, member.w);
      if constexpr (Dim<M>::invariants > 0) out.invariants = M::invariant(p, t, member.q, member.w);
      if constexpr (has_slopes<M>) {
        tangents.prepare(member.p);
        const auto of_time = member.of_stop.only(member.status == X(static_cast<int>(Status::stopped)));
        observe_slopes(tangents, member.columns, of_time, t, member.q, member.w, out.slopes);
        if constexpr (has_multiplier_slopes<M>) {
          tangents.multipliers_along(rate, method, t, member.q, member.w, member.columns, of_time,
                                     out.slopes.multipliers);
        }
      }
    });
    observe_parts(team, out);
    if constexpr (m > 0) {
      observe_constraints(team, out);
      X residual(0);
      for (int r = 0; r < m; ++r) residual = max_of(residual, abs(rate.distance(r, rate.dot.w)));
      team.single([&]() KALABA_LAMBDA { out.residual = residual; });
    } else {
      team.single(
          [&]() KALABA_LAMBDA { out.residual = out.violation = out.rank = out.sigma_kept = out.sigma_dropped = X(0); });
    }
    if constexpr (Dim<M>::reactions > 0) {
      team.single([&]() KALABA_LAMBDA {
        out.joint_reactions = M::reaction(p, t, member.q, member.w, rate.dot.w, out.multipliers);
      });
    }
  }

  /// Computes the inputs of event expressions besides the state, as `observe` does; does nothing if they use none. With
  /// `for_gaps` only the gaps of contacts and their rates.
  template <class Team>
  KALABA_FN void observe_for(const Watch& watch, const Team& team, const Member<M, X>& member, const Method& method,
                             const X& t, const S& at, EventSpace<M, X>& space, bool for_gaps = false) {
    if (watch.observes()) observe_asked(watch, team, member, method, t, at, space, for_gaps);
  }

 private:
  template <class Team>
  KALABA_NOINLINE void observe_asked(const Watch& watch, const Team& team, const Member<M, X>& member,
                                     const Method& method, const X& t, const S& at, EventSpace<M, X>& space,
                                     bool for_gaps) {
    constexpr WatchedRows rows = EventSpace<M, X>::rows;
    const auto p = prepared<M>(member.p);
    bool pushes = watch.multipliers && !for_gaps;  // a contact pushes only while it is closed
    for (int i = 0; i < watch.contact_count && !for_gaps; ++i) {
      pushes = pushes || team.any(X(0.5) < member.p[watch.contacts[i].mode]);
    }
    if constexpr (m > 0) {
      if (pushes) {
        rate.evaluate(team, method, RankRule<X>::at_step(method, member.rank), p, t, at.q, at.w, false, false);
        rate.inverse.multipliers(team, rate.error, space.multipliers);
      }
    }
    team.single([&]() KALABA_LAMBDA {
      if ((watch.energy || watch.invariants) && !for_gaps) {
        observe_state<M>(p, t, at.q, at.w, space.observed.data);
      }
      for (int r = 0; r < m; ++r) space.observed[rows.multiplier(r)] = pushes ? space.multipliers[r] : X(0);
      if constexpr (has_contacts<M>()) {
        const auto gaps = M::contact_gaps(p, t, at.q, at.w);
        for (int i = 0; i < watch.contact_count; ++i) {
          space.observed[rows.gap(i)] = gaps[i];
          space.observed[rows.gap_rate(i)] = gaps[watch.contact_count + i];
        }
      }
    });
  }

  /// Splits the constraint force and the rate into their parts.
  template <class Team>
  KALABA_FN void observe_parts(const Team& team, Observed<M, X>& out) {
    if constexpr (m > 0) {
      rate.apply_pseudo_inverse(team, rate.error, out.ideal_force);
      rate.apply_pseudo_inverse(team, rate.at.constraint.b, out.constraint_rate);
    } else {
      team.template for_each<n>([&](int i) KALABA_LAMBDA { out.ideal_force[i] = out.constraint_rate[i] = X(0); });
    }
    team.single([&]() KALABA_LAMBDA {
      out.ideal_force = rate.force_of(out.ideal_force);
      rate.at.factor.solve_transposed(out.constraint_rate.data);
      for (int i = 0; i < n; ++i) {
        out.non_ideal_force[i] = has_non_ideal_force<M>() ? out.constraint_force[i] - out.ideal_force[i] : X(0);
        out.balance_rate[i] = rate.dot.w[i] - out.constraint_rate[i];
      }
    });
  }

  template <class Team>
  KALABA_FN void observe_constraints(const Team& team, Observed<M, X>& out) {
    rate.inverse.multipliers(team, rate.error, out.multipliers);
    team.single([&]() KALABA_LAMBDA {
      out.rank = rate.inverse.rank();
      out.sigma_kept = rate.inverse.smallest_kept();
      out.sigma_dropped = rate.inverse.largest_dropped();
      out.violation = rate.at.constraint.violation();
      for (int r = 0; r < m; ++r) {
        if (r < holonomic_rows<M>()) {
          out.constraints[r] = rate.at.constraint.position[r < Dim<M>::holonomic ? r : 0];
        } else {
          out.constraints[r] = rate.at.constraint.rate[r];
        }
      }
    });
  }
};

}  // namespace kalaba
