#include "engine/summary.hpp"

#include <algorithm>
#include <cmath>

namespace kalaba {
namespace {

double worst_of(const std::vector<double>& values, const std::vector<Status>& status, long members, double worst) {
  for (std::size_t i = 0; i < std::min(values.size(), static_cast<std::size_t>(members)); ++i) {
    if (status[i] == Status::ok) worst = std::max(worst, values[i]);
  }
  return worst;
}

/// Adds what an event did to the members of a block.
void add_event(const Block& block, int event, EventOutcome& outcome) {
  const EventRows rows = block.event_rows();
  const double* const counts = block.events.data() + rows.count(event) * block.stride;
  const double* const times = block.events.data() + rows.first(event) * block.stride;
  for (long i = 0; i < block.members; ++i) {
    if (!(counts[i] > 0)) continue;
    ++outcome.members;
    outcome.crossings += counts[i];
    outcome.earliest = std::fmin(outcome.earliest, times[i]);
    outcome.latest = std::fmax(outcome.latest, times[i]);
  }
}

/// Fixed steps up to this time, the one in which it lies too; NaN for NaN.
double steps_until(double time, const TimeGrid& grid) {
  constexpr double rounding = 1e-6;
  return std::ceil((time - grid.start) / grid.dt - rounding);
}

}  // namespace

void add_block(const Block& block, Summary& summary) {
  summary.finished_members += block.members;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.members); ++i) {
    ++summary.by_status[static_cast<std::size_t>(block.status[i])];
    if (summary.first_failed < 0 && is_failure(block.status[i])) {
      summary.first_failed = block.first + static_cast<long>(i);
    }
    if (block.rank_changes[i] > 0) ++summary.rank_changes;
  }
  for (std::size_t event = 0; event < summary.events.size(); ++event) {
    add_event(block, static_cast<int>(event), summary.events[event]);
  }
}

void add_steps(const Block& block, const Options& options, long step, Summary& summary) {
  const bool adaptive = options.method.integrator == Integrator::dopri5;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.members); ++i) {
    summary.member_steps +=
        adaptive ? block.accepted[i]
                 : std::fmin(static_cast<double>(step), steps_until(block.failure_time[i], options.time));
    summary.rejected_steps += block.rejected[i];
  }
}

void take_worst(const Observation& seen, long members, Summary& summary) {
  const auto take = [&](Field field, double& worst) {
    worst = worst_of(seen.values[static_cast<std::size_t>(field)], seen.status, members, worst);
  };
  take(Field::violation, summary.worst_violation);
  take(Field::residual, summary.worst_residual);
}

long Summary::failed() const {
  long failures = 0;
  for (std::size_t i = 0; i < by_status.size(); ++i) {
    if (is_failure(static_cast<Status>(i))) failures += by_status[i];
  }
  return failures;
}

}  // namespace kalaba
