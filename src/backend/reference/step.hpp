#pragma once

#include "backend/reference/model.hpp"
#include "backend/reference/projection.hpp"
#include "backend/reference/rate.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/status.hpp"

namespace kalaba::reference {

inline constexpr int step_iterations = 8;  ///< bound on the projection after a step

/// Returns the rate at x; non_finite if x is not finite (the metric of such a state is meaningless).
Rate rate_at(const MechanicalModel& model, const Method& method, const RankChoice& choice, const Instant& x);

/// Returns ok if a motion can begin at x; with `project`, x is put on the constraints first.
Status start_member(const MechanicalModel& model, const Method& method, bool project, Instant& x);

/// Puts the end of a step on the constraints if the method projects, and returns ok if the end can be used.
Status settle(const MechanicalModel& model, const Method& method, const RankChoice& choice, Instant& end,
              EndedStep& step);

/// Result of one step of one member.
struct Step {
  Status status = Status::ok;
  Instant end;        ///< meaningful if status is ok
  int rank = 0;       ///< of A at the first stage
  bool torn = false;  ///< see EndedStep
};

struct RankMemory;

/// Makes one step of length dt from x and applies the method's stabilisation; the new state is at end_time. The step is
/// classic RK4, or near a singular position that of `pass` (passage.hpp).
Step step_member(const MechanicalModel& model, const Method& method, RankMemory& memory, const Instant& x, double dt,
                 double end_time);

/// Records the rank at the start of a step.
void note_rank(RankMemory& memory, int rank);

}  // namespace kalaba::reference
