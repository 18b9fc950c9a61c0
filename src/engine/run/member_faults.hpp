#pragma once

#include <string>

#include "backend/reference/model.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// First number of a member that is not finite, of its parameters, its state and the terms of its equation of motion at
/// x: "the force along x_dot is nan"; empty if all are finite.
std::string non_finite_number(const SystemInfo& info, const reference::MechanicalModel& model,
                              const reference::Instant& x);

/// Reason why the metric at x cannot be factorized: an entry that is not finite, or a direction in which it is not
/// positive; empty if it is positive definite.
std::string fault_of_metric(const SystemInfo& info, const reference::MechanicalModel& model,
                            const reference::Instant& x);

/// Constraints with the smallest singular value of the rows of A, scaled to unit length.
struct WeakestRows {
  double value = 1;   ///< the singular value, relative to the largest; 1 if there is at most one row
  std::string names;  ///< "'a', 'b'", with the largest share first; empty if there are none
};
WeakestRows weakest_rows(const SystemInfo& info, const reference::Matrix& A);

}  // namespace kalaba
