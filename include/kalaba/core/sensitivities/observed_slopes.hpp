#pragma once

#include "kalaba/core/rate/columns.hpp"

namespace kalaba {

/// True if derivatives of multipliers are observed; not for servo-constraints, whose multipliers belong to actuators.
template <class M>
inline constexpr bool has_multiplier_slopes = Dim<M>::constraints > 0 && !ModelParts<M>::actuated;

/// True if the columns of a run give derivatives of observed quantities.
template <class M>
inline constexpr bool has_slopes = Dim<M>::sensitivities > 0 &&
                                   (ModelParts<M>::has_energy || Dim<M>::invariants > 0 || has_multiplier_slopes<M>);

/// Derivatives of energy, invariants and multipliers along a member's columns: [column], [column][invariant] and
/// [column][constraint].
template <class M, class X, bool Any = has_slopes<M>>
struct ObservedSlopes {
  static constexpr int energies = 0;
  static constexpr int invariant_numbers = 0;
  static constexpr int multiplier_numbers = 0;
  KALABA_FN static constexpr const X* energy_data() { return nullptr; }
  KALABA_FN static constexpr const X* invariants_data() { return nullptr; }
  KALABA_FN static constexpr const X* multipliers_data() { return nullptr; }
};
template <class M, class X>
struct ObservedSlopes<M, X, true> {
  static constexpr int energies = ModelParts<M>::has_energy ? Dim<M>::sensitivities : 0;
  static constexpr int invariant_numbers = Dim<M>::sensitivities * Dim<M>::invariants;
  static constexpr int multiplier_numbers = has_multiplier_slopes<M> ? Dim<M>::sensitivities * Dim<M>::constraints : 0;
  Vec<X, energies> energy;
  Vec<X, invariant_numbers> invariants;
  Vec<X, multiplier_numbers> multipliers;
  KALABA_FN const X* energy_data() const { return energy.data; }
  KALABA_FN const X* invariants_data() const { return invariants.data; }
  KALABA_FN const X* multipliers_data() const { return multipliers.data; }
};

/// Computes the derivatives of energy and invariants at a state, whose time has the derivatives `of_time`; the tangents
/// must be prepared for the member's parameters.
template <class TangentsType, class M, class X>
KALABA_NOINLINE void observe_slopes(const TangentsType& tangents, const Columns<M, X>& columns,
                                    const TimeColumns<M, X>& of_time, const X& t, const Vec<X, Dim<M>::q>& q,
                                    const Vec<X, Dim<M>::w>& w, ObservedSlopes<M, X>& out) {
  using D = typename TangentsType::D;
  constexpr int nq = Dim<M>::q;
  constexpr int n = Dim<M>::w;
  constexpr int width = TangentsType::width;
  for (int first = 0; first < Dim<M>::sensitivities; first += width) {
    const auto p = tangents.prepared_along(first);
    const int left = Dim<M>::sensitivities - first;
    const int count = left < width ? left : width;
    Vec<D, nq> q_along = constants<D>(q);
    Vec<D, n> w_along = constants<D>(w);
    D t_along(t);
    for (int c = 0; c < count; ++c) {
      t_along.slope[c] = of_time.t[first + c];
      for (int i = 0; i < nq; ++i) q_along[i].slope[c] = columns.q[(first + c) * nq + i];
      for (int i = 0; i < n; ++i) w_along[i].slope[c] = columns.w[(first + c) * n + i];
    }
    if constexpr (ModelParts<M>::has_energy) {
      const D energy = M::energy(p, t_along, q_along, w_along);
      for (int c = 0; c < count; ++c) out.energy[first + c] = energy.slope[c];
    }
    if constexpr (constexpr int numbers = Dim<M>::invariants; numbers > 0) {
      const auto values = M::invariant(p, t_along, q_along, w_along);
      for (int c = 0; c < count; ++c) {
        for (int i = 0; i < numbers; ++i) out.invariants[(first + c) * numbers + i] = values[i].slope[c];
      }
    }
  }
}

}  // namespace kalaba
