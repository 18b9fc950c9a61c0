#pragma once

#include <vector>

#include "backend/reference/adaptive.hpp"
#include "backend/reference/events.hpp"

namespace kalaba::reference {

/// Detects the events of a run in the steps of its members. Model and method must outlive it.
class Watcher {
 public:
  Watcher(const MechanicalModel& model, const Method& method, const Watch& watch)
      : model_(model), method_(method), watch_(watch) {}

  bool has_events() const { return watch_.count > 0; }
  /// Returns true if one of them ends the member's motion.
  bool stops(const std::vector<Happening>& found) const;
  /// Returns the event among them that ends the motion.
  const Happening& stopper(const std::vector<Happening>& found) const;
  /// Returns the events among them that change the member, in their order; none if one stops it.
  std::vector<int> changing(const std::vector<Happening>& found) const;
  /// Returns the events of a step of length dt from `begin` to `end`; `memory` is the rank memory before it. `fired`:
  /// events whose value is zero at the beginning.
  std::vector<Happening> in_step(const RankMemory& memory, const Instant& begin, const Instant& end, double dt,
                                 const std::vector<int>& fired = {}) const;
  /// Returns the events of the last step of a member with adaptive steps.
  std::vector<Happening> in_step(const AdaptiveMember& member, const Instant& like) const;
  /// Returns the value of an event's expression at x.
  double value(int event, const Instant& x, int known_rank) const;

 private:
  int parts() const;
  Vector rows(const Instant& x, int known_rank) const;

  const MechanicalModel& model_;
  const Method& method_;
  Watch watch_;
};

}  // namespace kalaba::reference
