#include "engine/run/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "kalaba/core/events/watch.hpp"
#include "kalaba/core/methods/stiffness.hpp"
#include "kalaba/saved_times.hpp"

namespace kalaba {
namespace {

double worst_of(const std::vector<double>& values, const std::vector<Status>& status, long members, double worst) {
  for (std::size_t i = 0; i < std::min(values.size(), static_cast<std::size_t>(members)); ++i) {
    if (status[i] == Status::ok) worst = std::max(worst, values[i]);
  }
  return worst;
}

/// Adds the effects of an event on the members of a block.
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

/// Counts the members of a block with a restitution above 1, for each contact.
void count_gaining(const Block& block, const Watch& watch, Summary& summary) {
  std::vector<double> p(static_cast<std::size_t>(block.parameter_count));
  for (long member = 0; member < block.members && watch.contact_count > 0; ++member) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = block.parameters[i * static_cast<std::size_t>(block.stride) + static_cast<std::size_t>(member)];
    }
    for (int contact = 0; contact < watch.contact_count; ++contact) {
      const WatchedContact& each = watch.contacts[contact];
      const double restitution = value_of(each.restitution, p.data(), StateView<double>{0, nullptr, nullptr, nullptr});
      if (restitution > 1) ++summary.events[static_cast<std::size_t>(each.event)].gaining;
    }
  }
}

/// Number of fixed steps up to this time, including the one that contains it; NaN for NaN.
double steps_until(double time, const TimeGrid& grid) {
  constexpr double rounding = 1e-6;
  return std::ceil((time - grid.start) / grid.dt - rounding);
}

}  // namespace

void add_block(const Block& block, const Watch& watch, Summary& summary) {
  summary.finished_members += block.members;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.members); ++i) {
    ++summary.by_status[static_cast<std::size_t>(block.status[i])];
    if (block.rank_changes[i] > 0) ++summary.rank_changes;
    if (block.singular_passages[i] > 0) ++summary.singular_passages;
    if (block.svd_stages[i] > 0) ++summary.members_by_svd;
    summary.svd_stages += block.svd_stages[i];
    if (block.stiff_steps[i] >= Stiffness::enough) ++summary.stiff;
  }
  for (std::size_t event = 0; event < summary.events.size(); ++event) {
    add_event(block, static_cast<int>(event), summary.events[event]);
  }
  count_gaining(block, watch, summary);
}

void add_steps(const Block& block, const Options& options, long step, Summary& summary) {
  const bool adaptive = adapts(options.method.integrator);
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.members); ++i) {
    summary.member_steps +=
        adaptive ? block.accepted[i]
                 : std::fmin(static_cast<double>(step), steps_until(block.failure_time[i], options.time));
    summary.rejected_steps += block.rejected[i];
  }
}

void mark_interrupted(Block& block, double time) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.members); ++i) {
    if (block.status[i] != Status::ok) continue;
    block.status[i] = Status::interrupted;
    block.failure_time[i] = time;
  }
}

void report_times(Block& block, const TimeGrid& time) {
  const EventRows rows = block.event_rows();
  const auto members = static_cast<std::size_t>(block.members);
  const auto report = [&](double* row) {
    std::transform(row, row + members, row, [&](double moment) { return reported_time(time, moment); });
  };
  report(block.failure_time.data());
  for (int event = 0; event < block.event_count; ++event) {
    report(block.events.data() + rows.first(event) * block.stride);
    report(block.events.data() + rows.last(event) * block.stride);
  }
}

void note_finite(const Block& block, const Watch& watch, double time, const Observation& observed, Summary& summary) {
  const auto open = [](const EventOutcome& event) { return !event.was_finite; };
  std::vector<double> p(static_cast<std::size_t>(block.parameter_count));
  std::vector<double> q(static_cast<std::size_t>(block.coordinate_count));
  std::vector<double> w(static_cast<std::size_t>(block.rate_count));
  std::vector<double> derived;  // WatchedRows
  const auto gather_derived = [&](std::size_t member) {
    derived.assign(1, std::numeric_limits<double>::quiet_NaN());
    for (const Field field : {Field::energy, Field::invariants, Field::multipliers}) {
      const std::vector<double>& rows = observed.values[static_cast<std::size_t>(field)];
      const auto stride = static_cast<std::size_t>(block.stride);
      if (field == Field::energy) {
        if (!rows.empty()) derived[0] = rows[member];
        continue;
      }
      for (std::size_t i = member; i < rows.size(); i += stride) derived.push_back(rows[i]);
    }
    // A member whose gap is not finite fails.
    derived.resize(derived.size() + 2 * static_cast<std::size_t>(watch.contact_count), 0.0);
  };
  const auto gather = [&](const std::vector<double>& rows, long member, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = rows[i * static_cast<std::size_t>(block.stride) + static_cast<std::size_t>(member)];
    }
  };
  for (long member = 0; member < block.members && std::ranges::any_of(summary.events, open); ++member) {
    gather(block.parameters, member, p);
    gather(block.q, member, q);
    gather(block.w, member, w);
    std::array<double, Watch::most_values> values = {};
    if (watch.observes()) gather_derived(static_cast<std::size_t>(member));
    watch_values(watch, p.data(), StateView<double>{time, q.data(), w.data(), derived.data()}, values.data());
    for (std::size_t event = 0; event < summary.events.size(); ++event) {
      if (std::isfinite(values[event])) summary.events[event].was_finite = true;
    }
  }
}

void add_lost_derivatives(const Block& block, const Observation& observed, Summary& summary) {
  std::vector<char> is_lost(static_cast<std::size_t>(block.members), 0);
  for (const Field field : {Field::q_sensitivity, Field::w_sensitivity}) {
    const std::vector<double>& rows = observed.values[static_cast<std::size_t>(field)];
    for (std::size_t first = 0; first < rows.size(); first += static_cast<std::size_t>(block.stride)) {
      for (std::size_t i = 0; i < is_lost.size(); ++i) {
        if (std::isnan(rows[first + i])) is_lost[i] = 1;
      }
    }
  }
  for (std::size_t i = 0; i < is_lost.size(); ++i) {
    if (is_lost[i] != 0 && !is_failure(block.status[i])) ++summary.without_derivatives;
  }
}

void take_worst(const Observation& observed, long members, Summary& summary) {
  const auto take = [&](Field field, double& worst) {
    worst = worst_of(observed.values[static_cast<std::size_t>(field)], observed.status, members, worst);
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

std::vector<Status> Summary::failures() const {
  const auto count = [&](Status status) { return by_status[static_cast<std::size_t>(status)]; };
  std::vector<Status> found;
  for (int i = 0; i < status_count; ++i) {
    const auto status = static_cast<Status>(i);
    if (is_failure(status) && count(status) > 0) found.push_back(status);
  }
  std::ranges::stable_sort(found, std::greater(), count);
  return found;
}

long Summary::first_failed() const {
  long first = -1;
  for (const FirstFailure& each : first_failures) {
    if (each.member >= 0 && (first < 0 || each.member < first)) first = each.member;
  }
  return first;
}

std::string Summary::first_failure() const {
  const auto found = std::ranges::find(first_failures, first_failed(), &FirstFailure::member);
  return found->reason.empty() ? "" : "member " + std::to_string(found->member) + ": " + found->reason;
}

}  // namespace kalaba
