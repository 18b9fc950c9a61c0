#pragma once

#include <optional>
#include <vector>

#include "backend/reference/nearest_point.hpp"

namespace kalaba::reference {

/// Motion of a contact along its friction: it is open, sticks, or slides with a positive or a negative slip. A closed
/// contact without friction is one that slides.
enum class Grip { open, slides_up, slides_down, sticks };

/// A contact in the unit metric: 0 <= n u - n_bound; its friction acts along t if mu > 0.
struct FrictionContact {
  Vector n;
  double n_bound = 0;
  Vector t;
  double t_bound = 0;
  double mu = 0;
  int slip = 0;  ///< sign of the slip; 0: u decides, by the sign of t u - t_bound
};

struct FrictionPoint {
  Vector u;
  std::vector<Grip> grips;
  /// Contacts that slide, with a slip that is zero because of the equations and of other contacts that stick.
  std::vector<bool> is_carried;
};

/// Most contacts for which `point_with_friction` tries all motions.
inline constexpr std::size_t most_friction_contacts = 6;

/// Returns the point u = u_0 + A^T lambda + sum (n lambda_n + t lambda_t) that satisfies the equations, 0 <= n u -
/// n_bound of every contact, and Coulomb's law. The motions of the contacts are tried one by one, each by its linear
/// equations: those with the fewest closed contacts first, and of these those in which the most stick. Returns none if
/// no motion satisfies all conditions.
std::optional<FrictionPoint> point_with_friction(const Vector& u_0, const BoundedRows& equations,
                                                 const std::vector<FrictionContact>& contacts, double rank_tolerance);

}  // namespace kalaba::reference
