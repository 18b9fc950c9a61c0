#pragma once

namespace kalaba {

/// Quantities of a member that can be saved at a saved time.
enum class Field : int {
  q,
  w,
  constraint_force,
  ideal_force,
  non_ideal_force,
  constraint_rate,
  balance_rate,
  multipliers,
  constraints,
  residual,
  violation,
  rank,
  sigma_kept,
  sigma_dropped,
  energy,
  invariants,
  joint_reactions,
  q_sensitivity,
  w_sensitivity,
  energy_sensitivity,
  invariants_sensitivity,
  multipliers_sensitivity,
  lyapunov_exponents  ///< of no backend: the engine computes them from the columns
};
inline constexpr int field_count = 23;

}  // namespace kalaba
