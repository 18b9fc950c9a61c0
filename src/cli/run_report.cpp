#include "cli/run_report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "kalaba/core/model/status.hpp"
#include "output/base/outcome_figures.hpp"
#include "report/text/summary.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

std::string json_events(const Summary& summary) {
  std::vector<std::string> events;
  for (const EventOutcome& each : summary.events) {
    JsonObject event;
    event.add("name", each.name);
    event.add("action", event_action_name(each.action));
    event.add("members", each.members);
    event.add("crossings", each.crossings);
    event.add("earliest", each.earliest);
    event.add("latest", each.latest);
    events.push_back(event.text());
  }
  return json_array(events);
}

JsonObject json_shift(const StartShift& shift) {
  JsonObject object;
  object.add("members", shift.members);
  if (shift.members == 0) return object;
  object.add("variable", shift.variable);
  object.add("member", shift.member);
  object.add("drawn", shift.drawn);
  object.add("projected", shift.projected);
  return object;
}

JsonObject json_drift(const Drift& drift) {
  JsonObject object;
  object.add("largest", drift.energy);
  object.add("of", drift.first);
  object.add("member", drift.member);
  object.add("members_drifted", drift.drifted);
  if (drift.drifted == 0) return object;
  object.add("relative", drift.relative);
  object.add("relative_member", drift.relative_member);
  return object;
}

JsonObject json_invariants(const InvariantDrift& drift) {
  JsonObject object;
  object.add("drifted", drift.drifted);
  if (drift.drifted == 0) return object;
  object.add("name", drift.name);
  object.add("member", drift.member);
  object.add("first", drift.first);
  object.add("change", drift.change);
  object.add("relative", drift.relative);
  return object;
}

JsonObject json_lyapunov(const LyapunovOutcome& lyapunov) {
  JsonObject object;
  object.add("members", lyapunov.members);
  object.add("directions", lyapunov.directions);
  object.add("least", lyapunov.least);
  object.add("greatest", lyapunov.greatest);
  object.add("grown_apart", lyapunov.grown_apart);
  object.add("outgrown_steps", lyapunov.outgrown_steps);
  return object;
}

std::string json_failures(const Summary& summary) {
  std::vector<std::string> failures;
  for (const Status status : summary.failures()) {
    const FirstFailure& first = summary.first_failures[static_cast<std::size_t>(status)];
    JsonObject failure;
    failure.add("status", status_name(status));
    failure.add("members", summary.by_status[static_cast<std::size_t>(status)]);
    failure.add("first", first.member);
    failure.add("reason", first.reason);
    failures.push_back(failure.text());
  }
  return json_array(failures);
}

JsonObject json_by_status(const Summary& summary) {
  JsonObject object;
  for (int i = 0; i < status_count; ++i) {
    object.add(status_name(static_cast<Status>(i)), summary.by_status[static_cast<std::size_t>(i)]);
  }
  return object;
}

}  // namespace

ExitCode exit_code(const Summary& summary) {
  if (summary.interrupted) return ExitCode::interrupted;
  return summary.failed() > 0 ? ExitCode::members_failed : ExitCode::ok;
}

void print_line(const std::string& title, const std::string& text) {
  std::fputs(line_text(title, text).c_str(), stdout);
}

void report_failures(const Summary& summary) {
  if (summary.failed() > 0) std::fputs(("kalaba: " + failure_text(summary)).c_str(), stderr);
}

void print_summary(const RunTask& task, const RunOutcome& outcome) {
  const Scenario& scenario = task.scenario;
  const auto& [summary, files, can_resume] = outcome;
  const SystemInfo& system = scenario.system->info;
  const std::string file = files.empty() ? "" : files.front();
  std::fputs(summary_text(system, scenario.options, summary, file).c_str(), stdout);
  for (const std::string& each : files) {
    if (each != file) print_line("", each);
  }
  if (!task.replaced.empty() && !summary.interrupted) print_line("", "in place of what was there");
  if (summary.interrupted && can_resume) print_line("to continue", "kalaba run --resume " + scenario.output_file);
  if (files.empty()) {
    print_line("file", "none was requested; -o FILE.nc or -o FILE.csv writes one");
  } else if (scenario.options.statistics.any()) {
    print_line("statistics", statistics_text(system, scenario.options, scenario.members));
  }
}

std::string summary_json(const RunTask& task, const RunOutcome& outcome, const std::string& picture) {
  if (!task.scenario.system) return "{}";  // resumed run that is complete, in a CSV file
  const auto& [summary, files, can_resume] = outcome;
  JsonObject object;
  object.add("system", task.scenario.system->info.name);
  object.add("members", summary.members);
  object.add("first_member", task.part.first);
  object.add("finished_members", summary.finished_members);
  object.add("failed_members", summary.failed());
  object.add("interrupted", summary.interrupted);
  object.add("can_resume", summary.interrupted && can_resume);
  object.add("exit_code", static_cast<int>(exit_code(summary)));
  object.add("by_status", json_by_status(summary));
  object.add("first_failed", summary.first_failed());
  object.add_raw("failures", json_failures(summary));
  std::vector<std::string> warnings = warnings_of(task.scenario.system->info, task.scenario.options, summary);
  for (const std::string& each : task.scenario.notes) warnings.push_back("note: " + each);
  object.add_raw("warnings", json_texts(warnings));
  object.add("moved_starts", json_shift(summary.starts));
  if (summary.drift.member >= 0) object.add("energy_drift", json_drift(summary.drift));
  object.add("invariants", json_invariants(summary.invariants));
  if (summary.lyapunov.members > 0) object.add("lyapunov", json_lyapunov(summary.lyapunov));
  object.add_raw("events", json_events(summary));
  for (const OutcomeFigure& figure : outcome_figures) object.add(figure.name, figure.of(summary));
  object.add("compute_seconds", summary.compute_seconds);
  object.add("device", summary.device);
  object.add_raw("files", json_texts(files));
  object.add_raw("replaced", json_texts(task.replaced));
  if (!picture.empty()) object.add("picture", picture);
  return object.text();
}

}  // namespace kalaba
