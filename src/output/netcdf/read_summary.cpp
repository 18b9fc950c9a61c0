#include "output/netcdf/read_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace kalaba {
namespace {

std::string count_name(int status) { return fmt::format("members_{}", status_name(static_cast<Status>(status))); }

void read_shift(const NetcdfFile& file, StartShift& shift) {
  shift.largest = file.number("largest_start_shift");
  shift.variable = file.attribute(NC_GLOBAL, "largest_start_shift_variable");
  shift.member = static_cast<long>(file.number("largest_start_shift_member"));
  shift.drawn = file.number("largest_start_shift_drawn");
  shift.projected = file.number("largest_start_shift_projected");
}

void read_invariants(const NetcdfFile& file, InvariantDrift& drift) {
  drift.name = file.attribute(NC_GLOBAL, "worst_invariant_drift");
  drift.member = static_cast<long>(file.number("worst_invariant_drift_member"));
  drift.first = file.number("worst_invariant_drift_of");
  drift.change = file.number("worst_invariant_drift_change");
  drift.relative = file.number("worst_invariant_drift_relative");
}

void read_lyapunov(const NetcdfFile& file, LyapunovOutcome& lyapunov) {
  lyapunov.directions = static_cast<long>(file.number("lyapunov_directions"));
  lyapunov.least = file.number("least_largest_lyapunov_exponent");
  lyapunov.greatest = file.number("greatest_largest_lyapunov_exponent");
  lyapunov.grown_apart = static_cast<long>(file.number("members_with_directions_grown_apart"));
  lyapunov.outgrown_steps = static_cast<long>(file.number("members_with_steps_outgrown"));
}

}  // namespace

Summary read_summary(const NetcdfFile& file, std::span<const OutcomeFigure> figures) {
  Summary summary;
  const auto whole = [&](const std::string& name) { return static_cast<long>(file.number(name)); };
  for (int i = 0; i < status_count; ++i) summary.by_status[static_cast<std::size_t>(i)] = whole(count_name(i));
  summary.members = std::accumulate(summary.by_status.begin(), summary.by_status.end(), 0L);
  summary.finished_members = whole("members_finished");
  for (const OutcomeFigure& figure : figures) figure.set(summary, file.number(figure.name));
  const auto drift = [&](const std::string& name) {
    return Drift{file.number(name),        file.number(name + "_of"),       whole(name + "_member"),
                 whole(name + "_members"), file.number(name + "_relative"), whole(name + "_relative_member")};
  };
  summary.drift = drift("worst_energy_drift");
  summary.passage_drift = drift("worst_energy_drift_of_passages");
  summary.interrupted = whole("interrupted") != 0;
  for (const Status status : summary.failures()) {
    const std::string first = fmt::format("first_{}", status_name(status));
    if (file.attribute(NC_GLOBAL, first).empty()) continue;
    summary.first_failures[static_cast<std::size_t>(status)] = {whole(first),
                                                                file.attribute(NC_GLOBAL, first + "_reason")};
  }
  summary.device = file.attribute(NC_GLOBAL, "device");
  summary.invariants.drifted = whole("invariants_drifted");
  if (summary.invariants.drifted > 0) read_invariants(file, summary.invariants);
  summary.first_start_off = whole("first_member_off_at_start");
  summary.starts.members = whole("members_moved_at_start");
  if (summary.starts.members > 0) read_shift(file, summary.starts);
  summary.lyapunov.members = whole("members_with_lyapunov_exponents");
  if (summary.lyapunov.members > 0) read_lyapunov(file, summary.lyapunov);
  if (file.attribute(NC_GLOBAL, "events").empty()) return summary;
  for (const std::string& name : file.texts("events")) {
    const auto number = [&](const char* what) { return file.number("event_" + name + what); };
    EventOutcome& event = summary.events.emplace_back(EventOutcome{.name = name});
    event.members = whole("event_" + name + "_members");
    event.crossings = number("_crossings");
    event.earliest = number("_earliest");
    event.latest = number("_latest");
    const std::string gaining = "event_" + name + "_gaining";
    if (!file.attribute(NC_GLOBAL, gaining).empty()) event.gaining = whole(gaining);
  }
  return summary;
}

}  // namespace kalaba
