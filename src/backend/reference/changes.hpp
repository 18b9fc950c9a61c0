#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "backend/reference/contacts.hpp"
#include "backend/reference/model.hpp"
#include "kalaba/core/events/event.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/status.hpp"

namespace kalaba::reference {

/// Changes of a member, as far as they depend on those before.
struct ChangeMemory {
  std::vector<int> fired;  ///< events whose value was zero after the last change and has not left zero since
  double window = 0;       ///< s: begin of the length dt in which changes are counted
  double count = 0;        ///< changes in it; 0 before the first
  StepEnds step;           ///< the last step
};

/// Makes the changes of a run by events, contacts and clocks. Model and method must outlive it.
class Changes {
 public:
  Changes(const MechanicalModel& model, const Method& method, const Watch& watch)
      : model_(model), method_(method), watch_(watch), contacts_(model, method, watch) {}

  bool any() const { return watch_.changes(); }
  bool has_clocks() const { return watch_.clock_count > 0; }
  /// Returns true if two times are one instant: they differ by rounding.
  bool is_same(double a, double b) const;
  /// Returns true if a is before b or the same instant.
  bool is_until(double a, double b) const { return a <= b || is_same(a, b); }
  /// Returns the time of the first tick after t, or `end` if none comes before it.
  double next_tick(double t, double end) const;
  /// Returns true if a clock ticks at t. Its ticks are made up to the time `made`; without one, at the start of a run,
  /// earlier ticks are not made.
  bool ticks_at(std::optional<double> made, double t) const;
  /// In place of an event that occurs before its value has left zero.
  static constexpr int stuck = -1;

  /// Makes the changes of these events at x.t, in their order. `dt`: step of the grid, s.
  Status by_events(const std::vector<int>& events, double dt, ChangeMemory& memory, Instant& x) const;
  /// Makes the changes of the clocks that tick at x.t (ticks_at).
  Status by_clocks(std::optional<double> made, ChangeMemory& memory, Instant& x, bool corrects = true) const;
  /// Makes the changes of the start of a run: of the clocks that tick there, and of the contacts. Without `corrects`,
  /// the state is not put on the constraints.
  Status at_start(ChangeMemory& memory, Instant& x, bool corrects) const;

  /// Returns the status of a member between two ends of steps: that its contacts do not penetrate.
  Status judged(const Instant& x) const { return contacts_.penetrates(x) ? Status::constraints_violated : Status::ok; }

 private:
  Status make(const Change& change, Instant& x, bool corrects = true) const;
  /// Values of the continuous expressions of the events, and their rounding errors.
  struct Margins {
    std::vector<double> values;
    std::vector<double> roundings;

    bool is_zero(std::size_t event) const { return std::abs(values[event]) <= roundings[event]; }
  };
  /// Kicks the rates by white noise: w+ = w + G^-1 sum sigma sqrt(every) xi, put on the constraints.
  Status kick(const WatchedClock& clock, Instant& x, bool corrects) const;
  double ticks_until(const WatchedClock& clock, double t) const;
  bool is_due(const WatchedClock& clock, std::optional<double> made, double t) const;
  double assigned(const Assignment& each, const Instant& x, const Vector& observed) const;
  Status end(Instant& x, bool corrects) const;
  Margins margins(const Instant& x) const;
  void keep_zeros(const Margins& before, const Instant& x, ChangeMemory& memory) const;

  const MechanicalModel& model_;
  const Method& method_;
  Watch watch_;
  Contacts contacts_;
};

}  // namespace kalaba::reference
