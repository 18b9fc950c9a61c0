#pragma once

#include "backend/reference_rate.hpp"
#include "kalaba/backend/reference_model.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/core/status.hpp"

namespace kalaba::reference {

inline constexpr int step_iterations = 8;  ///< bound on the projection after a step

/// The rate at x; non_finite where x is (the metric of such a state says nothing).
Rate rate_at(const MechanicalModel& model, const Method& method, const Instant& x);

/// Puts the end of a step on the constraints, if asked, and says whether it can be kept.
Status settle(const MechanicalModel& model, const Method& method, Instant& end);

/// What became of one step of one member.
struct Step {
  Status status = Status::ok;
  Instant end;   ///< meaningful where status is ok
  int rank = 0;  ///< of A at the first stage
};

/// One classic RK4 step of length dt from x, then what the method's stabilisation asks; the new state is at end_time.
Step step_member(const MechanicalModel& model, const Method& method, const Instant& x, double dt, double end_time);

}  // namespace kalaba::reference
