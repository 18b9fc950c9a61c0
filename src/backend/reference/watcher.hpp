#pragma once

#include <functional>
#include <vector>

#include "backend/reference/adaptive.hpp"
#include "backend/reference/events.hpp"

namespace kalaba::reference {

/// Change of a member within a step or at its end.
struct Cut {
  std::vector<int> events;        ///< events that make it, in their order; none: there is no change
  Instant at;                     ///< the member before the change
  std::vector<Happening> joined;  ///< those of contacts that close at that instant, and are not among the found ones
};

/// Detects the events of a run in the steps of its members. Model and method must outlive it.
class Watcher {
 public:
  Watcher(const MechanicalModel& model, const Method& method, const Watch& watch)
      : model_(model), method_(method), watch_(watch), contacts_(model, method, watch) {}

  bool has_events() const { return watch_.count > 0; }
  /// Returns true if one of them ends the member's motion.
  bool stops(const std::vector<Happening>& found) const;
  /// Returns the event among them that ends the motion.
  const Happening& stopper(const std::vector<Happening>& found) const;
  /// Returns the change by these events of a step to `end`, or by contacts that are lost at its end, or close there if
  /// a clock `ticks` there; none if an event stops the member. `known_rank` is the rank from earlier steps.
  Cut cut(const std::vector<Happening>& found, const Instant& end, int known_rank, bool ticks) const;
  /// Returns true for events that are recorded: all but the releases of contacts.
  bool records(const Happening& each) const { return !contacts_.is_release(each.event, each.at); }
  /// Returns the events of a step of length dt from `begin` to `end`; `memory` is the rank memory before it. `fired`:
  /// events whose value is zero at the beginning.
  StepEvents in_step(const RankMemory& memory, const Instant& begin, const Instant& end, double dt,
                     const std::vector<int>& fired = {}) const;
  /// Returns the events of the last step of a member with adaptive steps.
  StepEvents in_step(const AdaptiveMember& member, const Instant& like) const;
  /// Returns the value of an event's expression at x.
  double value(int event, const Instant& x, int known_rank) const;

 private:
  OpenGaps open_gaps(const StateAt& state) const;
  int parts() const;
  Vector rows(const Instant& x, int known_rank) const;

  const MechanicalModel& model_;
  const Method& method_;
  Watch watch_;
  Contacts contacts_;
};

}  // namespace kalaba::reference
