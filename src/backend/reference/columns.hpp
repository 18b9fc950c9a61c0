#pragma once

#include "backend/reference/sensitivity.hpp"
#include "backend/reference/watcher.hpp"

namespace kalaba::reference {

/// Propagates the sensitivity columns through the parts of members' motions that the runner computes. Objects that it
/// refers to must outlive it.
class ColumnsAlong {
 public:
  ColumnsAlong(const MechanicalModel& model, const Method& method, const Watcher& watcher, const SensitivityPlan& plan)
      : model_(model), method_(method), watcher_(watcher), plan_(plan) {}

  const SensitivityPlan& plan() const { return plan_; }
  int count() const { return static_cast<int>(plan_.of.size()); }
  bool wanted() const { return count() > 0; }

  SensitivityColumns at_start(const Instant& given, bool project) const;

  /// Propagates through a step from x; `before` and `after` are the rank memories around it. If the rank changed, or if
  /// the member was near a singular position, the columns become NaN. Returns true if a column became NaN because the
  /// rank depends on its variable (forget_singular).
  bool follow_step(const RankMemory& before, const RankMemory& after, const Instant& x, double dt, double end,
                   SensitivityColumns& columns) const;
  /// Returns the columns of an event in the step from `begin`, where the columns were `columns` and the rank memory
  /// `known`.
  EventColumns of_event(const Happening& event, const RankMemory& known, const Instant& begin,
                        SensitivityColumns columns) const;

  /// Propagates through the last step of a member with adaptive steps; `of` has its columns. Returns true likewise.
  bool follow_step(const AdaptiveMember& member, const Instant& like, StepColumns& of) const;
  /// Returns the columns at t, a time that the member has reached or passed.
  SensitivityColumns at(const AdaptiveMember& member, const Instant& like, double t, const StepColumns& of) const;
  /// Returns the columns at t, a time that the member at x has not reached yet.
  SensitivityColumns ahead(const TimeGrid& time, double t, AdaptiveMember member, StepColumns columns, Instant x) const;
  /// Returns the columns of an event in its last step.
  EventColumns of_event(const Happening& event, const AdaptiveMember& member, const Instant& like,
                        const StepColumns& of) const;

 private:
  SensitivityColumns within(const AdaptiveMember& member, const Instant& like, double t,
                            SensitivityColumns columns) const;
  EventColumns through(const Happening& event, int known_rank, SensitivityColumns columns) const;
  bool passes(const RankMemory& before) const;
  bool forget_singular(int known_rank, const Instant& x, const SensitivityColumns& before,
                       SensitivityColumns& columns) const;

  const MechanicalModel& model_;
  const Method& method_;
  const Watcher& watcher_;
  SensitivityPlan plan_;
};

}  // namespace kalaba::reference
