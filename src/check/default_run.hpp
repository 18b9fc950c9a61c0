#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/ensemble.hpp"

namespace kalaba::check {

/// Method of computation of a run.
struct Case {
  Backend backend = Backend::reference;
  PseudoInverse pseudo_inverse = PseudoInverse::svd;
  Precision precision = Precision::double_precision;
};

/// Events and clocks of a model. Events that change no member are ignored.
struct Changes {
  std::vector<Event> events = {};
  std::vector<Clock> clocks = {};
};

/// Returns the reason why a case does not make the changes and those of contacts; empty if it does.
std::string fault_of_case(const System& system, const Case& how, const TimeGrid& time, const Changes& changes);

/// The default run of a system, one member, computed by a case.
class DefaultRun {
 public:
  DefaultRun(const System& system, const Case& how, const TimeGrid& time, const Changes& changes = {});

  const SystemInfo& info() const { return system_->info; }
  const System& system() const { return *system_; }
  const Case& how() const { return how_; }
  const TimeGrid& time() const { return time_; }
  const Changes& changes() const { return changes_; }
  /// Returns true if events, clocks or contacts may change the member.
  bool may_change() const;
  const std::vector<double>& times() const { return result_.times(); }
  std::size_t frames() const { return times().size(); }
  std::size_t last() const { return frames() - 1; }

  Status status() const { return result_.status().front(); }
  const Summary& summary() const { return result_.summary; }
  double failure_time() const { return result_.failure_time().front(); }
  /// A coordinate, rate, invariant, "violation" or "residual" at a saved time.
  double value(std::string_view column, std::size_t frame) const { return result_.values(column, frame).front(); }
  /// The largest magnitude of these variables at a saved time.
  double size(const std::vector<Variable>& variables, std::size_t frame) const;
  /// The largest |w'| at a saved time.
  double acceleration(std::size_t frame) const;
  /// Returns the frame saved at that time; nothing if no step ends there.
  std::optional<std::size_t> frame_at(double time) const;

 private:
  const System* system_;
  Case how_;
  TimeGrid time_;
  Changes changes_;
  Result result_;
};

/// Returns the system's own time grid, saved so often that every figure's time within it is a saved one.
TimeGrid default_grid(const SystemInfo& info);

/// Returns the grid extended to the system's last figure, saved only at the figures.
TimeGrid long_grid(const SystemInfo& info);

/// Returns true if the figure's time is after the system's default end.
bool is_long(const SystemInfo& info, const ExpectedFigure& figure);

/// Returns the coordinates and rates.
std::vector<Variable> state_of(const SystemInfo& info);

/// "swarm agents=5"; the name alone if the system has no size.
std::string label(const SystemInfo& info);

}  // namespace kalaba::check
