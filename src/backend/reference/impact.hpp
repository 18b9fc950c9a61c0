#pragma once

#include "backend/reference/friction.hpp"
#include "backend/reference/nearest_point.hpp"
#include "kalaba/core/events/impact_law.hpp"
#include "kalaba/core/model/status.hpp"

namespace kalaba::reference {

/// Rows of constraints and of touching contacts at one instant, in the unit metric: u is G^(1/2) w. The rate of a row
/// is row u + offset.
struct TouchingRows {
  Matrix constraints;
  Vector constraint_offsets;
  Matrix gaps;
  Vector gap_offsets;
  Vector restitution;
  std::vector<ImpactLaw> laws;
  std::vector<FrictionContact> friction = {};  ///< the gaps with their friction, at zero rates; empty if there is none

  Vector rates(const Vector& u) const { return gaps * u + gap_offsets; }
  /// Sizes of the terms of the rates at velocities of this size.
  Vector terms(double size) const { return gaps.rowwise().norm() * size + gap_offsets.cwiseAbs(); }
};

/// Returns true if a gap closes at the velocity u by more than rounding; `size` is |u| before the impact.
bool some_closes(const TouchingRows& rows, const Vector& u, double size);

/// Replaces u by the velocity after the impact (docs/contact.md). Returns ok; inconsistent_constraints, or painleve
/// with friction, if no velocity satisfies the conditions; or not_converged if gaps still close after a bounded number
/// of projections.
Status strike(const TouchingRows& rows, ImpactOrder order, double rank_tolerance, Vector& u);

}  // namespace kalaba::reference
