#pragma once

#include <optional>
#include <vector>

#include "backend/reference/model.hpp"

namespace kalaba::reference {

/// A contact that sticks: its rows n and t, and its forces along them.
struct StickingContact {
  Matrix rows;
  Vector forces;
  double mu = 0;
};

/// Returns forces of each contact with the same total effect sum rows^T forces that lie strictly inside of the cones
/// |lambda_t| <= mu lambda_n of Coulomb's law; none if there are none. They maximize the least distance from the cones
/// by a barrier method (Boyd, Vandenberghe, Convex Optimization (2004) section 11.4), which ends at the first forces
/// inside.
std::optional<std::vector<Vector>> forces_inside_cones(const std::vector<StickingContact>& contacts,
                                                       double rank_tolerance);

}  // namespace kalaba::reference
