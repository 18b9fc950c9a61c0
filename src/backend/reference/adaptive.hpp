#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "backend/reference/passage.hpp"
#include "kalaba/core/model.hpp"

namespace kalaba::reference {

/// An accepted step of an embedded Runge-Kutta method, [q; w] as one vector.
struct AdaptiveStep {
  double begin = 0;
  double end = 0;
  Vector y0, y1;  ///< state at the beginning and at the end
  Vector f0, f1;  ///< their rates
  Matrix k;       ///< [number][stage]: the rates within; none where only the ends are known
  int rank = 0;   ///< of A where it began
};

/// A member that goes at its own time and step.
struct AdaptiveMember {
  AdaptiveStep last;  ///< its end is the member's present time
  double next = 0;    ///< length to try next; 0 before the first step
  double error = 0;   ///< of the last step
  RankMemory memory;  ///< of A at its end
  RankMemory before;  ///< rank of A where its last step began
  long accepted = 0;
  long rejected = 0;
  double ends = std::numeric_limits<double>::quiet_NaN();  ///< when an event ends its motion; NaN: none does
};

/// Takes the member, which is at x before its first step, as far as it needs to go to know its state at `target`, and
/// leaves that state in x; x.t is where it failed otherwise. Steps are chosen as core/step_control.hpp says.
/// `after_step` sees the member after every step, and may end its motion. Returns nothing where `pauses` returned true
/// behind an accepted step before the target: the same call then continues.
std::optional<Status> advance_adaptively(const MechanicalModel& model, const Method& method, const TimeGrid& grid,
                                         double target, AdaptiveMember& member, Instant& x,
                                         const std::function<void(AdaptiveMember&)>& after_step = {},
                                         const std::function<bool()>& pauses = {});

/// The state at t, within the member's last step, put on the constraints where the method projects.
Status arrive(const MechanicalModel& model, const Method& method, const AdaptiveMember& member, double t, Instant& x);

/// The continuous extension of the member's last step at a part of it; the end of the step where it has none. The model
/// and the method outlive it.
std::function<Instant(double part)> extension_of(const MechanicalModel& model, const Method& method,
                                                 const AdaptiveMember& member, const Instant& like);

/// The member's last step made again from `begin`, as long, of the same stages and whatever its error: where it is at
/// t, within that step. Nothing where it fails.
std::optional<Instant> made_again(const MechanicalModel& model, const Method& method, const AdaptiveMember& member,
                                  const Instant& begin, double t);

/// The beginning of the member's last step, and its end.
Instant step_begin(const AdaptiveMember& member, const Instant& like);
Instant step_end(const AdaptiveMember& member, const Instant& like);

}  // namespace kalaba::reference
