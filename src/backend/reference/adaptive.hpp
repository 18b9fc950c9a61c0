#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "backend/reference/changes.hpp"
#include "backend/reference/passage.hpp"
#include "kalaba/core/model/model.hpp"

namespace kalaba::reference {

/// An accepted step, [q; w] as one vector.
struct AdaptiveStep {
  double begin = 0;
  double end = 0;
  Vector y0, y1;  ///< state at the beginning and at the end
  Vector f0, f1;  ///< their rates
  Matrix k;       ///< [number][stage]: rates of the stages; empty if only the ends are known
  Matrix bends;   ///< [number][term]: of the continuous extension of a Rosenbrock method; else empty
  Vector bulge;   ///< of that of a step in two parts, whose middle is known; else empty
  int rank = 0;   ///< rank of A at its beginning
};

/// State of an adaptive step, as one vector, and back; an instant like `like`.
Vector stacked(const Vector& q, const Vector& w);
Instant unstacked(const Instant& like, double t, const Vector& y);

/// A trial of a step.
struct Trial {
  Status status = Status::ok;
  AdaptiveStep step;
  double error = 0;  ///< in units of the tolerance
  int rank = 0;      ///< of A at the end; of a Rosenbrock method at the beginning
};

/// Root mean square of an error in units of the tolerances, to which `rounding` is added if it is not empty.
double error_norm(const Method& method, const Vector& error, const AdaptiveStep& step, const Vector& rounding = {});

/// A member with individual time and step.
struct AdaptiveMember {
  AdaptiveStep last;  ///< its end is the member's present time
  double next = 0;    ///< length to try next; 0 before the first step
  double error = 0;   ///< of the last step
  RankMemory memory;  ///< rank of A at its end
  RankMemory before;  ///< rank of A where its last step began
  long accepted = 0;
  long rejected = 0;
  int stiff_steps = 0;  ///< steps that stability limited, until they are enough to report the member
  long look_at = 0;     ///< number of the first step that is examined for it
  double ends = std::numeric_limits<double>::quiet_NaN();  ///< time of the event that ends its motion; else NaN
  double cut = std::numeric_limits<double>::quiet_NaN();   ///< time of a change within the last step; else NaN
  std::vector<int> cut_by;                                 ///< events of that change; empty: a clock alone
  ChangeMemory changes;
};

/// Advances the member, which is at x before its first step, until a step contains `target`, and stores the state at
/// `target` in x; on failure x.t is the time of the failure. core/methods/step_control.hpp documents the choice of
/// steps. `after_step` is called after every step and may end the member's motion, or set a change, which is made if
/// `target` is not before it. Returns nothing if `pauses` returned true after an accepted step before the target; a
/// repeated call then continues.
std::optional<Status> advance_adaptively(const MechanicalModel& model, const Method& method, const TimeGrid& grid,
                                         double target, AdaptiveMember& member, Instant& x,
                                         const std::function<void(AdaptiveMember&)>& after_step = {},
                                         const std::function<bool()>& pauses = {}, const Changes* changes = nullptr);

/// Computes the state at t, within the member's last step, on the constraints if the method projects.
Status arrive(const MechanicalModel& model, const Method& method, const AdaptiveMember& member, double t, Instant& x);

/// Returns the continuous extension of the member's last step as a function of the fraction of the step; the end of the
/// step if it has none. The model and the method must outlive it.
std::function<Instant(double part)> extension_of(const MechanicalModel& model, const Method& method,
                                                 const AdaptiveMember& member, const Instant& like);

/// Repeats the member's last step from `begin`, with the same length and stages and without error control. Returns the
/// state at t within that step; nothing if it fails.
std::optional<Instant> made_again(const MechanicalModel& model, const Method& method, const AdaptiveMember& member,
                                  const Instant& begin, double t);

/// Returns the beginning and the end of the member's last step.
Instant step_begin(const AdaptiveMember& member, const Instant& like);
Instant step_end(const AdaptiveMember& member, const Instant& like);

}  // namespace kalaba::reference
