#pragma once

#include <vector>

#include "backend/reference/model.hpp"
#include "kalaba/core/events/event.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/status.hpp"

namespace kalaba::reference {

/// Rates w at the ends of the step within which a change is, and its length (s), with equal steps of a whole one; at
/// the start the same, 0 for adaptive steps.
struct StepEnds {
  Vector from, to;
  double length = 0;
};

/// Contacts of the members of a run (docs/contact.md). Model and method must outlive it.
class Contacts {
 public:
  Contacts(const MechanicalModel& model, const Method& method, const Watch& watch)
      : model_(model), method_(method), watch_(watch) {}

  bool any() const { return watch_.contact_count > 0; }
  /// Returns true for a contact that is closed at x.
  bool is_closed(int contact, const Instant& x) const { return x.p[watch_.contacts[contact].mode] > 0.5; }
  /// Returns true if the event is the release of a contact, which is not recorded.
  bool is_release(int event, const Instant& x) const;
  /// Opens all contacts.
  void open(Instant& x) const;
  /// Makes the impact of the contacts that close at x, closes those that push after it, opens the others, and puts x on
  /// the constraints if something changes; not without `corrects`. Returns a status; `penetrates` for a gap below its
  /// tolerance. `step`: a velocity within a step has at least the rounding error of those at its ends.
  Status settle(Instant& x, const StepEnds& step, Status penetrates, bool corrects = true) const;
  /// Returns the events of contacts that are open and below their gap, or closed and pull, or stick by more friction
  /// than they can have, at the end of a step in which no event changed the member. `rows`: the observed quantities
  /// there (WatchedRows).
  std::vector<int> lost(const Instant& end, const Vector& rows) const;
  /// Returns the events of open contacts that touch and close at x, by more than rounding: their impact is part of any
  /// change at that instant (settle).
  std::vector<int> closing(const Instant& x) const;

  /// Returns true if a contact is open and its gap is negative beyond its tolerance.
  bool penetrates(const Instant& x) const;
  /// Gaps up to this are zero.
  double zero_gap(int contact, const Instant& x) const;

 private:
  std::vector<double> modes(const Instant& x) const;
  bool is_deep(int contact, const Instant& x) const;
  bool is_lost(int contact, const Instant& x, double value) const;

  const MechanicalModel& model_;
  const Method& method_;
  Watch watch_;
};

}  // namespace kalaba::reference
