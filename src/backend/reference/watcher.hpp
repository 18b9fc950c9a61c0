#pragma once

#include <vector>

#include "backend/reference/adaptive.hpp"
#include "backend/reference/events.hpp"

namespace kalaba::reference {

/// Looks for the events of a run in the steps of its members. Model and method outlive it.
class Watcher {
 public:
  Watcher(const MechanicalModel& model, const Method& method, const Watch& watch)
      : model_(model), method_(method), watch_(watch) {}

  bool has_events() const { return watch_.count > 0; }
  /// Whether the last of them ends the member's motion.
  bool stops(const std::vector<Happening>& found) const;
  /// Those of a step of length dt from `begin` to `end`, before which the rank was known so.
  std::vector<Happening> in_step(const RankMemory& memory, const Instant& begin, const Instant& end, double dt) const;
  /// Those of the last step of a member of adaptive steps.
  std::vector<Happening> in_step(const AdaptiveMember& member, const Instant& like) const;
  /// The expression of an event at x.
  double value(int event, const Instant& x, int known_rank) const;

 private:
  int parts() const;
  Vector rows(const Instant& x, int known_rank) const;

  const MechanicalModel& model_;
  const Method& method_;
  Watch watch_;
};

}  // namespace kalaba::reference
