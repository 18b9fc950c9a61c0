#include "output/netcdf/netcdf_outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kalaba {
namespace {

/// Writes a count that is stored as a double in the program.
void write_count(DatasetWriter& file, const std::string& name, double count) {
  file.set_integers(NC_GLOBAL, name, {std::llround(count)}, NC_INT64);
}

void write_shift(DatasetWriter& file, const StartShift& shift) {
  file.set_number(NC_GLOBAL, "largest_start_shift", shift.largest);
  file.set_text(NC_GLOBAL, "largest_start_shift_variable", shift.variable);
  file.set_integers(NC_GLOBAL, "largest_start_shift_member", {shift.member}, NC_INT64);
  file.set_number(NC_GLOBAL, "largest_start_shift_drawn", shift.drawn);
  file.set_number(NC_GLOBAL, "largest_start_shift_projected", shift.projected);
}

void write_lyapunov(DatasetWriter& file, const LyapunovOutcome& lyapunov) {
  file.set_integers(NC_GLOBAL, "lyapunov_directions", {lyapunov.directions}, NC_INT64);
  file.set_number(NC_GLOBAL, "least_largest_lyapunov_exponent", lyapunov.least);
  file.set_number(NC_GLOBAL, "greatest_largest_lyapunov_exponent", lyapunov.greatest);
  file.set_integers(NC_GLOBAL, "members_with_directions_grown_apart", {lyapunov.grown_apart}, NC_INT64);
  file.set_integers(NC_GLOBAL, "members_with_steps_outgrown", {lyapunov.outgrown_steps}, NC_INT64);
}

void write_drift(DatasetWriter& file, const std::string& name, const Drift& drift) {
  file.set_number(NC_GLOBAL, name, drift.energy);
  file.set_number(NC_GLOBAL, name + "_of", drift.first);
  file.set_integers(NC_GLOBAL, name + "_member", {drift.member}, NC_INT64);
  file.set_integers(NC_GLOBAL, name + "_members", {drift.drifted}, NC_INT64);
  file.set_number(NC_GLOBAL, name + "_relative", drift.relative);
  file.set_integers(NC_GLOBAL, name + "_relative_member", {drift.relative_member}, NC_INT64);
}

void write_invariants(DatasetWriter& file, const InvariantDrift& drift) {
  file.set_text(NC_GLOBAL, "worst_invariant_drift", drift.name);
  file.set_integers(NC_GLOBAL, "worst_invariant_drift_member", {drift.member}, NC_INT64);
  file.set_number(NC_GLOBAL, "worst_invariant_drift_of", drift.first);
  file.set_number(NC_GLOBAL, "worst_invariant_drift_change", drift.change);
  file.set_number(NC_GLOBAL, "worst_invariant_drift_relative", drift.relative);
}

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

void write_outcome(DatasetWriter& file, const Summary& summary, std::span<const OutcomeFigure> figures) {
  for (int i = 0; i < status_count; ++i) {
    const std::string name = fmt::format("members_{}", status_name(static_cast<Status>(i)));
    file.set_integers(NC_GLOBAL, name, {summary.by_status[static_cast<std::size_t>(i)]}, NC_INT64);
  }
  for (const Status status : summary.failures()) {
    const FirstFailure& first = summary.first_failures[static_cast<std::size_t>(status)];
    if (first.member < 0) continue;
    const std::string name = fmt::format("first_{}", status_name(status));
    file.set_integers(NC_GLOBAL, name, {first.member}, NC_INT64);
    if (!first.reason.empty()) file.set_text(NC_GLOBAL, name + "_reason", first.reason);
  }
  std::vector<std::string> names;
  for (const EventOutcome& event : summary.events) {
    const std::string prefix = "event_" + names.emplace_back(event.name);
    file.set_integers(NC_GLOBAL, prefix + "_members", {event.members}, NC_INT64);
    write_count(file, prefix + "_crossings", event.crossings);
    file.set_number(NC_GLOBAL, prefix + "_earliest", event.earliest);
    file.set_number(NC_GLOBAL, prefix + "_latest", event.latest);
    if (event.gaining > 0) file.set_integers(NC_GLOBAL, prefix + "_gaining", {event.gaining}, NC_INT64);
  }
  if (!names.empty()) file.set_texts(NC_GLOBAL, "events", names);
  file.set_integers(NC_GLOBAL, "members_finished", {summary.finished_members}, NC_INT64);
  for (const OutcomeFigure& figure : figures) {
    if (figure.is_count) {
      write_count(file, figure.name, figure.of(summary));
    } else {
      file.set_number(NC_GLOBAL, figure.name, figure.of(summary));
    }
  }
  write_drift(file, "worst_energy_drift", summary.drift);
  write_drift(file, "worst_energy_drift_of_passages", summary.passage_drift);
  file.set_integers(NC_GLOBAL, "invariants_drifted", {summary.invariants.drifted}, NC_INT64);
  if (summary.invariants.drifted > 0) write_invariants(file, summary.invariants);
  file.set_integers(NC_GLOBAL, "first_member_off_at_start", {summary.first_start_off}, NC_INT64);
  file.set_integers(NC_GLOBAL, "members_moved_at_start", {summary.starts.members}, NC_INT64);
  if (summary.starts.members > 0) write_shift(file, summary.starts);
  file.set_integers(NC_GLOBAL, "members_with_lyapunov_exponents", {summary.lyapunov.members}, NC_INT64);
  if (summary.lyapunov.members > 0) write_lyapunov(file, summary.lyapunov);
  file.flush();  // before the attribute that marks the file as finished
  file.set_integers(NC_GLOBAL, "interrupted", {summary.interrupted ? 1 : 0}, NC_INT);
}

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
