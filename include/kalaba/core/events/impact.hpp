#pragma once

#include "kalaba/core/events/friction_cones.hpp"
#include "kalaba/core/events/impact_law.hpp"

namespace kalaba {

/// Velocity after an impact, for rows in the unit metric: u is F^T w, B is A F^-T. The rate of a constraint or of a gap
/// is B_r u + s_r.
///
/// Newton's law (Moreau's form): the nearest point to u with rate 0 of every constraint and
///   rate+ >= -e rate-   of every gap.
/// A gap that opened before may close then; the law is applied again until none closes.
/// Poisson's law: compression gives the nearest point with rate >= 0 of every gap, by impulses p_r; expansion adds e
/// p_r, and then the nearest point with rate >= 0. Contacts of both laws may be mixed.
///
/// u+ is unique for Newton's law without friction. For e <= 1, equal for all contacts, no energy is gained then (if the
/// constraints and gaps do not depend on time). With Newton's law and friction (FrictionCones), v_n is rate+ + e rate-,
/// and v_t the slip after the impact.
template <class X, int M, int N, template <class, int, int> class InverseOf>
struct Impact : FrictionCones<X, M, N, InverseOf> {
  using Base = FrictionCones<X, M, N, InverseOf>;
  using Base::rounding;
  using Base::rows;
  using Base::u;
  using typename Base::E;
  using typename Base::Mask;
  using typename Base::W;

  E offset;                 ///< in: s
  E restitution;            ///< in: e of the gaps
  Vec<Mask, M> constraint;  ///< in: rows that are constraints
  Vec<Mask, M> touching;    ///< in: rows that are gaps of touching contacts
  Vec<Mask, M> poisson;     ///< in: gaps with Poisson's law; others have Newton's
  X passes;                 ///< out: number of successive projections of simultaneous impacts

  /// Bound on the projections of an impact, per contact. A sequence that converges geometrically ends by rounding.
  static constexpr int most_projections = 64;

  /// Computes u after the impact in the lanes `members`, with `contacts` gaps at most. Returns the lanes in which it
  /// was found within the bounds on the work; in others u is unspecified.
  template <class Team>
  KALABA_FN Mask apply(const Team& team, Scalar<X> rank_tolerance, ImpactOrder order, int contacts,
                       const Mask& members) {
    begin(team);
    return order == ImpactOrder::simultaneous ? together(team, rank_tolerance, contacts, members)
                                              : one_by_one(team, rank_tolerance, contacts, members);
  }

  /// Stores u before the impact, which the rounding error of rates is relative to, and the groups of its numbers.
  template <class Team>
  KALABA_FN void begin(const Team& team) {
    team.template for_each<N>([&](int i) KALABA_LAMBDA { before[i] = u[i]; });
    this->find_groups_with_friction(
        team, [&](int r) KALABA_LAMBDA { return either(constraint[r], touching[r]); }, bodies);
    team.single([&]() KALABA_LAMBDA { this->has_motion = X(0) < X(1); });
  }

  /// Bound on the pseudo-inverses of one projection.
  KALABA_FN static constexpr int most_solves(int contacts) { return 3 * contacts + 3; }

  /// Rate of a row, and the size of the terms from which it was computed before the impact or now.
  KALABA_FN X rate(int r) const {
    X sum = offset[r];
    for (int i = 0; i < N; ++i) sum = fma(rows(r, i), u[i], sum);
    return sum;
  }
  KALABA_FN X rate_terms(int r) const {
    return max_of(max_of(rate_terms(r, u), rate_terms(r, before)), this->least_terms[r]);
  }
  /// Size of the terms of the rate of a row at another velocity F^T w.
  KALABA_FN X rate_terms(int r, const W& velocity) const {
    return this->terms_of(r, velocity, bodies) + abs(offset[r]);
  }
  /// Size of the terms of the part of the acceleration of a row that is due to an acceleration F^T a.
  KALABA_FN X change_terms(int r, const W& acceleration) const { return this->terms_of(r, acceleration, bodies); }
  /// Size of the terms of the acceleration of a row, for an acceleration F^T a.
  KALABA_FN X acceleration_terms(int r, const W& acceleration) const {
    return change_terms(r, acceleration) + abs(this->bound[r]);
  }
  /// Returns the lanes in which gap r closes, by more than rounding error. A rate whose square is zero is none: so may
  /// be the computed size of its terms.
  KALABA_FN Mask closes(int r) const {
    const X now = rate(r);
    const Mask falls = both(now < X(-2 * rounding) * rate_terms(r), X(0) < now * now);
    return both(touching[r], falls);
  }

 private:
  W before;  ///< u before the impact
  W bodies;  ///< groups of the numbers of u, by constraints and touching contacts

  template <class Team>
  KALABA_FN Mask together(const Team& team, Scalar<X> rank_tolerance, int contacts, const Mask& members) {
    Mask found = members;
    Mask open = members;
    passes = X(0);
    // A gap that opened before the impact may close after it.
    for (int pass = 0; pass < most_projections * contacts && team.any(open); ++pass) {
      found = both(found, either(!open, strike(team, rank_tolerance, contacts, open)));
      passes = passes + select(open, X(1), X(0));
      Mask again = X(1) < X(0);
      for (int r = 0; r < M; ++r) again = either(again, closes(r));
      open = both(both(open, found), again);
    }
    return both(found, !open);
  }

  /// One impact of all touching contacts.
  template <class Team>
  KALABA_FN Mask strike(const Team& team, Scalar<X> rank_tolerance, int contacts, const Mask& open) {
    const W given = u;
    team.template for_each<M>([&](int r) KALABA_LAMBDA {
      this->equality[r] = constraint[r];
      this->inequality[r] = touching[r];
      const X least = select(either(constraint[r], poisson[r]), X(0), -restitution[r] * rate(r));
      this->bound[r] = least - offset[r];
      this->slip[r] = X(0);
    });
    Mask found = this->project_with_friction(team, rank_tolerance, most_solves(contacts), open);
    Mask expands = X(1) < X(0);
    for (int r = 0; r < M; ++r) expands = either(expands, both(both(touching[r], poisson[r]), X(0) < restitution[r]));
    expands = both(found, expands);
    if (team.any(expands)) {
      const W compressed = u;
      W expanded = u;
      for (int r = 0; r < M; ++r) {
        const X part = select(both(touching[r], poisson[r]), restitution[r] * this->multipliers[r], X(0));
        for (int i = 0; i < N; ++i) expanded[i] = fma(part, rows(r, i), expanded[i]);
      }
      put(team, expands, expanded);
      const Mask also = this->project(team, rank_tolerance, most_solves(contacts), expands);
      found = both(found, either(!expands, also));
      put(team, !expands, compressed);
    }
    put(team, !open, given);
    return found;
  }

  template <class Team>
  KALABA_FN Mask one_by_one(const Team& team, Scalar<X> rank_tolerance, int contacts, const Mask& members) {
    Mask found = members;
    Mask open = members;
    for (int count = 0; count <= most_projections * contacts; ++count) {
      const X next = fastest();
      open = both(both(open, found), X(0) <= next);
      if (!team.any(open) || count == most_projections * contacts) break;
      const W given = u;
      team.template for_each<M>([&](int r) KALABA_LAMBDA {
        const Mask strikes = next == X(r);
        this->equality[r] = either(constraint[r], strikes);
        this->inequality[r] = X(1) < X(0);
        this->bound[r] = select(strikes, -restitution[r] * rate(r), X(0)) - offset[r];
      });
      found = both(found, either(!open, this->project(team, rank_tolerance, most_solves(1), open)));
      put(team, !open, given);
    }
    return both(found, !open);
  }

  /// Approaches that differ by this fraction of themselves, or by rounding, are equally fast.
  static constexpr Scalar<X> equally_fast = Limits<Scalar<X>>::epsilon > 1e-10 ? 1e-3 : 1e-10;

  /// Index of the gap that closes fastest relative to its terms, the first of equally fast ones; -1 if none closes.
  KALABA_FN X fastest() const {
    X index(-1);
    X least(0);
    for (int r = 0; r < M; ++r) {
      const X terms = rate_terms(r);
      const X relative = select(closes(r), rate(r) * reciprocal_where(X(0) < terms, terms), X(0));
      const Mask lower = relative < select(index < X(0), X(0), fma(X(1 + equally_fast), least, X(-rounding)));
      index = select(lower, X(r), index);
      least = select(lower, relative, least);
    }
    return index;
  }

  template <class Team>
  KALABA_FN void put(const Team& team, const Mask& where, const W& x) {
    team.template for_each<N>([&](int i) KALABA_LAMBDA { u[i] = select(where, x[i], u[i]); });
  }
};

}  // namespace kalaba
