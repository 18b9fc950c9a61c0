#pragma once

namespace kalaba {

/// What can be saved of a member at a saved time.
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
  q_sensitivity,
  w_sensitivity
};
inline constexpr int field_count = 18;

}  // namespace kalaba
