#pragma once

#include <vector>

#include "backend/reference/judge.hpp"
#include "backend/reference/linear.hpp"
#include "backend/reference/model.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/status.hpp"

namespace kalaba::reference {

/// Coordinates and rates that a projection does not change.
struct Held {
  std::vector<int> coordinates;
  std::vector<int> rates;
};

/// Step that a projection ends. The default is no step: a start, or a state between steps.
struct EndedStep {
  double length = 0;
  int rank = 1 << 20;  ///< of A at its beginning
  Vector rates = {};   ///< at its beginning
  /// Set if the rank rises and the projection removes the motion of the step: the member leaves a singular position
  /// along a direction that the constraints do not allow.
  bool torn = false;
};

/// Puts x on the constraints, the positions first and then the rates, by metric-weighted Gauss-Newton of at most
/// `iterations` steps each. Status: ok; singular_constraints (metric); not_converged (no point on the constraints was
/// found), where x is left somewhere on the way.
///
/// Held variables stay bit-identical: corrections are then the least, in the metric, among those that do not change
/// them.
Status project(const MechanicalModel& model, const Method& method, int iterations, Instant& x, const Held& held = {});
/// As above, with a rank choice from earlier steps, at the end of a step.
Status project(const MechanicalModel& model, const Method& method, const RankChoice& choice, int iterations, Instant& x,
               const Held& held, EndedStep& step);

/// Like `project`, for starts that may be far from the constraints. If the corrections fail, or the rows are not almost
/// linear along the first of them, the positions are also found by short damped corrections (see `assemble`) that hold
/// the same coordinates, and the nearer ones of both are taken.
Status project_near(const MechanicalModel& model, const Method& method, int iterations, Instant& x, const Held& held);

/// Puts a start on the constraints from a larger distance: the positions by a damped Gauss-Newton method in the metric
/// (Levenberg-Marquardt), every step of which reduces the rows, and then all by `project`. Returns ok; not_assembled,
/// with the closest state that was found in x; or singular_constraints (metric). `left` receives the row with the
/// largest deviation.
Status assemble(const MechanicalModel& model, const Method& method, const Allowance& allowance, Instant& x, Gap& left);

}  // namespace kalaba::reference
