#pragma once

#include "backend/reference/model.hpp"
#include "backend/reference/rate.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/core/status.hpp"

namespace kalaba::reference {

inline constexpr int step_iterations = 8;  ///< bound on the projection after a step

/// The rate at x; non_finite where x is (the metric of such a state says nothing).
Rate rate_at(const MechanicalModel& model, const Method& method, const RankChoice& choice, const Instant& x);

/// Whether a motion can begin at x; where it is to be projected, x is put on the constraints first.
Status start_member(const MechanicalModel& model, const Method& method, bool project, Instant& x);

/// Puts the end of a step on the constraints, if asked, and says whether it can be kept.
Status settle(const MechanicalModel& model, const Method& method, const RankChoice& choice, Instant& end);

/// What became of one step of one member.
struct Step {
  Status status = Status::ok;
  Instant end;   ///< meaningful where status is ok
  int rank = 0;  ///< of A at the first stage
};

struct RankMemory;

/// One step of length dt from x, then what the method's stabilisation asks; the new state is at end_time. The classic
/// RK4, or near a singular position reference_passage's.
Step step_member(const MechanicalModel& model, const Method& method, RankMemory& memory, const Instant& x, double dt,
                 double end_time);

/// Notes the rank where a step begins.
void note_rank(RankMemory& memory, int rank);

}  // namespace kalaba::reference
