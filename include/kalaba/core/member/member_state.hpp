#pragma once

#include "kalaba/core/base/part.hpp"
#include "kalaba/core/events/contact_space.hpp"
#include "kalaba/core/events/event.hpp"
#include "kalaba/core/model/field.hpp"
#include "kalaba/core/model/model.hpp"
#include "kalaba/core/rate/columns.hpp"
#include "kalaba/core/sensitivities/observed_slopes.hpp"

namespace kalaba {

/// Numbers of a member that a step may change besides the state and the warm start.
template <class X>
struct MemberOutcome {
  X status;             ///< Status as a number
  X failed_step;        ///< steps of the current call before the failure
  X rank;               ///< of A at the last step, -1 before the first
  X rank_changes;       ///< steps at which the rank differed from the step before
  X approach;           ///< near a singular position, the rate of approach (Passage::speed), else 0
  X singular_passages;  ///< number of approaches to a singular position
  X svd_stages;         ///< stages at which the direct method fell back to the SVD
};

/// Calls visit(part, number) for those of them that are parts of a batch, with one row each.
template <class Numbers, class Visit>
KALABA_FN void for_each_single_part(Numbers& numbers, const Visit& visit) {
  visit(Part::rank_changes, numbers.rank_changes);
  visit(Part::singular_passages, numbers.singular_passages);
  visit(Part::svd_stages, numbers.svd_stages);
  visit(Part::rank, numbers.rank);
  visit(Part::approach, numbers.approach);
}

/// Calls visit(number of `from`, number of `to`) for all of them.
template <class From, class To, class Visit>
KALABA_FN void for_each_outcome(From& from, To& to, const Visit& visit) {
  visit(from.status, to.status);
  visit(from.failed_step, to.failed_step);
  visit(from.rank, to.rank);
  visit(from.rank_changes, to.rank_changes);
  visit(from.approach, to.approach);
  visit(from.singular_passages, to.singular_passages);
  visit(from.svd_stages, to.svd_stages);
}

/// State between calls of one ensemble member (or of one per lane).
template <class M, class X>
struct Member : State<X, Dim<M>::q, Dim<M>::w>, MemberOutcome<X> {
  static constexpr int m = Dim<M>::constraints;

  Vec<X, Dim<M>::parameters> p;
  Mat<X, m, m> rotation;                            ///< warm start of the pseudo-inverse
  [[no_unique_address]] Columns<M, X> columns;      ///< of its sensitivities
  [[no_unique_address]] TimeColumns<M, X> of_stop;  ///< of the time at which an event stopped it; used only then

  static constexpr int persistent = Dim<M>::sensitivities * (Dim<M>::q + Dim<M>::w + 1);
  /// Visits the persistent state of the time loop: the columns, and those of the time of a stop.
  template <class Visit>
  KALABA_FN void for_each_persistent(const Visit& visit) {
    if constexpr (Dim<M>::sensitivities > 0) {
      visit(columns.q.data, Dim<M>::sensitivities * Dim<M>::q);
      visit(columns.w.data, Dim<M>::sensitivities * Dim<M>::w);
      visit(of_stop.t.data, Dim<M>::sensitivities);
    }
  }
};

/// Observed quantities of a member at one instant.
template <class M, class X>
struct Observed {
  using W = Vec<X, Dim<M>::w>;
  using E = Vec<X, Dim<M>::constraints>;

  Vec<X, Dim<M>::q> q;
  W w;
  W constraint_force;  ///< ideal and non-ideal
  W ideal_force;
  W non_ideal_force;
  W constraint_rate;  ///< F^-T B+ b: the smallest rate that satisfies the constraints
  W balance_rate;     ///< w' - constraint_rate: balances momentum, orthogonal to constraint_rate in G
  E multipliers;
  E constraints;  ///< phi and psi
  X residual;     ///< max |A w' - b|
  X violation;    ///< max |phi|, |phi'|, |psi|
  X rank;
  X sigma_kept;     ///< smallest singular value of B that counts in its rank (a pivot, for QR)
  X sigma_dropped;  ///< largest one that does not count
  X energy;
  Vec<X, Dim<M>::invariants> invariants;
  Vec<X, Dim<M>::reactions> joint_reactions;
  [[no_unique_address]] Columns<M, X> columns;
  [[no_unique_address]] ObservedSlopes<M, X> slopes;
};

/// Additional state of a member whose events are detected: the inputs of their expressions, the time at which one ends
/// the member, and the changes.
template <class M, class X>
struct EventSpace {
  static constexpr WatchedRows rows = watched_rows<M>();

  X ends;  ///< s; NaN if no event does
  /// s: time of a change that is not yet made; with equal steps, of the last one in a step that a pause has left. NaN
  /// if there is none
  X cut;
  X fired;    ///< Flags of the events that lead to the next change or occur with it
  X window;   ///< s: begin of the length dt in which changes are counted; NaN before the first
  X changes;  ///< changes in it
  X ticked;   ///< s: begin of the last step, or of the part that a pause has left, up to which ticks are made
  X leaves;   ///< Flags of the events whose value was zero after the last change and has not left zero (Leaving)
  Vec<X, rows.rows()> observed;
  Vec<X, Dim<M>::constraints> multipliers;
  [[no_unique_address]] ContactSpaceOf<M, X> contacts;

  /// Adds an event to those of the next change, in the lanes `where`.
  template <class Team>
  KALABA_FN void join(const Team& team, int event, const MaskOf<X>& where) {
    team.single([&]() KALABA_LAMBDA { fired = fired + select(where, Flags<X>::value(event), X(0)); });
  }
  /// Adds an event to `leaves`, in the lanes `where`.
  template <class Team>
  KALABA_FN void wait(const Team& team, const Watch& watch, int event, const MaskOf<X>& where) {
    const MaskOf<X> adds = both(where, !Flags<X>(watch, leaves).of[event]);
    team.single([&]() KALABA_LAMBDA { leaves = leaves + select(adds, Flags<X>::value(event), X(0)); });
  }
  /// Stores the rates at the ends of a step and its length, in the lanes `where`, for the changes of contacts within
  /// it.
  template <class Team>
  KALABA_FN void keep_ends(const Team& team, const MaskOf<X>& where, const Vec<X, Dim<M>::w>& from,
                           const Vec<X, Dim<M>::w>& to, const X& length) {
    if constexpr (has_contacts<M>()) {
      team.single([&]() KALABA_LAMBDA { contacts.step_length = select(where, length, contacts.step_length); });
      team.template for_each<Dim<M>::w>([&](int i) KALABA_LAMBDA {
        contacts.step_from[i] = select(where, from[i], contacts.step_from[i]);
        contacts.step_to[i] = select(where, to[i], contacts.step_to[i]);
      });
    }
  }
};

/// The energy and the invariants of a state, at their places in `observed` (WatchedRows). `Y`: a number, or a number
/// with derivatives.
template <class M, class Y, class P>
KALABA_FN void observe_state(const P& p, const Y& t, const Vec<Y, Dim<M>::q>& q, const Vec<Y, Dim<M>::w>& w,
                             Y* observed) {
  constexpr WatchedRows rows = watched_rows<M>();
  if constexpr (ModelParts<M>::has_energy) observed[rows.energy()] = M::energy(p, t, q, w);
  if constexpr (Dim<M>::invariants > 0) {
    const auto values = M::invariant(p, t, q, w);
    for (int i = 0; i < Dim<M>::invariants; ++i) observed[rows.invariant(i)] = values[i];
  }
}

/// Calls visit(field, values, count) for every field, in the order of Field.
template <class M, class X, class Visit>
KALABA_FN void for_each_field(const Observed<M, X>& observed, const Visit& visit) {
  constexpr int n = Dim<M>::w;
  constexpr int m = Dim<M>::constraints;
  visit(Field::q, observed.q.data, Dim<M>::q);
  visit(Field::w, observed.w.data, n);
  visit(Field::constraint_force, observed.constraint_force.data, n);
  visit(Field::ideal_force, observed.ideal_force.data, n);
  visit(Field::non_ideal_force, observed.non_ideal_force.data, n);
  visit(Field::constraint_rate, observed.constraint_rate.data, n);
  visit(Field::balance_rate, observed.balance_rate.data, n);
  visit(Field::multipliers, observed.multipliers.data, m);
  visit(Field::constraints, observed.constraints.data, m);
  visit(Field::residual, &observed.residual, 1);
  visit(Field::violation, &observed.violation, 1);
  visit(Field::rank, &observed.rank, 1);
  visit(Field::sigma_kept, &observed.sigma_kept, 1);
  visit(Field::sigma_dropped, &observed.sigma_dropped, 1);
  visit(Field::energy, &observed.energy, ModelParts<M>::has_energy ? 1 : 0);
  visit(Field::invariants, observed.invariants.data, Dim<M>::invariants);
  visit(Field::joint_reactions, observed.joint_reactions.data, Dim<M>::reactions);
  visit(Field::q_sensitivity, observed.columns.q_data(), Dim<M>::sensitivities * Dim<M>::q);
  visit(Field::w_sensitivity, observed.columns.w_data(), Dim<M>::sensitivities * n);
  visit(Field::energy_sensitivity, observed.slopes.energy_data(), observed.slopes.energies);
  visit(Field::invariants_sensitivity, observed.slopes.invariants_data(), observed.slopes.invariant_numbers);
  visit(Field::multipliers_sensitivity, observed.slopes.multipliers_data(), observed.slopes.multiplier_numbers);
}

}  // namespace kalaba
