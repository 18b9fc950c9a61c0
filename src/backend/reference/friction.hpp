#pragma once

#include <optional>
#include <vector>

#include "backend/reference/nearest_point.hpp"

namespace kalaba::reference {

/// Motion of a contact along its friction. A closed contact without friction is one that slides.
enum class Grip { open, slides, sticks };

/// A contact in the unit metric: 0 <= n u - n_bound; its friction acts along the rows of t if mu > 0: one, or two
/// orthogonal ones of friction in a plane. Its slip is t u - t_bound.
struct FrictionContact {
  Vector n;
  double n_bound = 0;
  Matrix t;
  Vector t_bound;
  double mu = 0;
  Vector slip;  ///< direction of the slip, a unit vector of one or two components; empty: u decides

  Vector slip_at(const Vector& u) const { return t * u - t_bound; }
};

struct GrippedContact {
  Grip grip = Grip::open;
  Vector way;  ///< direction of the slip of a contact with friction that slides, like FrictionContact::slip
};

struct FrictionPoint {
  Vector u;
  std::vector<GrippedContact> contacts;
  /// Contacts that slide, with a slip that is zero because of the equations and of other contacts that stick.
  std::vector<bool> is_carried;
};

/// Most contacts for which `point_with_friction` tries all motions.
inline constexpr std::size_t most_friction_contacts = 6;

/// Returns the point u = u_0 + A^T lambda + sum (n lambda_n + t lambda_t) that satisfies the equations, 0 <= n u -
/// n_bound of every contact, and Coulomb's law. The motions of the contacts are tried one by one, each by its
/// equations: those with the most closed contacts first, and of these those in which the most stick. The equations
/// are linear, but for the unknown directions of contacts that begin to slide in a plane, which Newton's method finds
/// from five directions. Returns none if no motion satisfies all conditions.
std::optional<FrictionPoint> point_with_friction(const Vector& u_0, const BoundedRows& equations,
                                                 const std::vector<FrictionContact>& contacts, double rank_tolerance);

}  // namespace kalaba::reference
