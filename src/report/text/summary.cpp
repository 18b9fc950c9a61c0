#include "report/text/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kalaba/statistics.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

/// Text on the causes that stopped members.
std::string stop_text(const Summary& summary) {
  std::string text;
  for (const EventOutcome& event : summary.events) {
    if (event.action != EventAction::stop || event.members == 0) continue;
    text += fmt::format("{}'{}'", text.empty() ? " at " : " or ", event.name);
  }
  return text;
}

std::string event_text(const EventOutcome& event) {
  if (event.members == 0 && !event.was_finite)
    return "never happened: its expression is finite neither at the start nor at the end of any member";
  if (event.members == 0) return "never happened";
  std::string text = fmt::format("in {} member{}", grouped(event.members), event.members == 1 ? "" : "s");
  if (event.crossings > static_cast<double>(event.members)) text += fmt::format(", {} times", scaled(event.crossings));
  if (event.earliest == event.latest) return text + fmt::format(", first at t = {:.6g} s", event.earliest);
  return text + fmt::format(", first at t = {:.6g} to {:.6g} s", event.earliest, event.latest);
}

std::string gaining_text(const EventOutcome& event) {
  return fmt::format("{} has a restitution above 1 in {} member{}: its impacts gain energy", event.name,
                     grouped(event.gaining), event.gaining == 1 ? "" : "s");
}

std::string members_by_status(const Summary& summary) {
  std::string text;
  for (int i = 0; i < status_count; ++i) {
    const long members = summary.by_status[static_cast<std::size_t>(i)];
    if (members == 0 && i != 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(members), status_name(static_cast<Status>(i)));
    if (i == static_cast<int>(Status::stopped)) text += stop_text(summary);
  }
  return text;
}

/// Texts on the first members that failed, one for each status.
std::vector<std::string> failures_text(const Summary& summary) {
  std::vector<std::string> texts;
  for (const Status status : summary.failures()) {
    const FirstFailure& first = summary.first_failures[static_cast<std::size_t>(status)];
    if (first.member < 0) continue;
    const long members = summary.by_status[static_cast<std::size_t>(status)];
    texts.push_back(fmt::format("{} {}, {}member {}{}{}", grouped(members), status_name(status),
                                members == 1 ? "" : "the first is ", first.member, first.reason.empty() ? "" : ": ",
                                first.reason));
  }
  return texts;
}

/// Text on the changes of the requested starts by projection.
std::string shift_text(const StartShift& shift) {
  return fmt::format(
      "{} member{} moved onto the constraints, relatively farthest {} of member {}: from {:.6g} to {:.6g}; "
      "initial.project = \"keep_varied\" holds what varies, where the constraints can be met so",
      grouped(shift.members), shift.members == 1 ? "" : "s", shift.variable, shift.member, shift.drawn,
      shift.projected);
}

std::string step_text(const Options& options) {
  if (!adapts(options.method.integrator)) return fmt::format("dt = {} s", options.time.dt);
  return fmt::format("{}, tolerances {:g} relative and {:g} absolute", integrator_name(options.method.integrator),
                     options.method.relative_tolerance, options.method.absolute_tolerance);
}

std::string rejected_text(const Summary& summary) {
  const double tried = summary.member_steps + summary.rejected_steps;
  return fmt::format("{} member-steps, {:.1f} % of those tried", scaled(summary.rejected_steps),
                     tried > 0 ? 100 * summary.rejected_steps / tried : 0);
}

std::string drift_of(const Drift& drift) { return fmt::format("{:.2g} J (member {})", drift.energy, drift.member); }

const char* share_text(const Options& options) {
  return options.precision == Precision::single_precision ? "a thousandth" : "a millionth";
}

const char* remedy_text(const Options& options, const Summary& summary) {
  if (adapts(options.method.integrator)) return "smaller tolerances";
  return summary.singular_passages > 0 ? "shorter steps, or solver.integrator = \"dop853\"" : "shorter steps";
}

std::string drift_text(const Drift& drift, const std::string& remedy, const Options& options) {
  const std::string text = fmt::format("drifts by up to {} from {:.4g} J", drift_of(drift), drift.first);
  if (!drift.is_large()) return text;
  return text + fmt::format(
                    "; warning: more than {} of the kinetic energy in {} member{}, relatively most ({:.2g}) in "
                    "member {}; try {}",
                    share_text(options), grouped(drift.drifted), drift.drifted == 1 ? "" : "s", drift.relative,
                    drift.relative_member, remedy);
}

std::string invariants_text(const InvariantDrift& drift, const std::string& remedy, const Options& options) {
  return fmt::format(
      "warning: {} changed by more than {} of {} terms, relatively most ({:.2g}) {} of member {}: by "
      "{:.2g} from {:.4g}; try {}",
      drift.drifted == 1 ? "1" : grouped(drift.drifted), share_text(options), drift.drifted == 1 ? "its" : "their",
      drift.relative, drift.name, drift.member, drift.change, drift.first, remedy);
}

std::string off_text(const Options& options, const Summary& summary) {
  std::string text = fmt::format(
      "warning: {} member{} off the constraints at the start, as given (initial.project = false), the "
      "first is member {}",
      grouped(summary.starts_off), summary.starts_off == 1 ? "" : "s", summary.first_start_off);
  if (!summary.notes.off_at_start.empty()) text += ": " + summary.notes.off_at_start;
  if (options.method.stabilization.kind == Stabilization::Kind::projection) {
    text += "; the first step moves them onto the constraints";
  }
  return text;
}

std::string with_note(std::string text, const std::string& note) { return note.empty() ? text : text + "; " + note; }

std::string drifting_text(const Options& options, const Summary& summary) {
  return with_note(fmt::format("warning: {} member{} off the constraints by more than {} of their terms; try "
                               "solver.stabilization = \"projection\", or shorter steps",
                               grouped(summary.drifting), summary.drifting == 1 ? "" : "s", share_text(options)),
                   summary.notes.drifting);
}

std::string dependent_text(const Options& options, const Summary& summary) {
  return with_note(
      fmt::format("warning: in {} member{} constraints are nearly dependent: solver.rank_tolerance = {:g} decides "
                  "whether they count as one",
                  grouped(summary.nearly_dependent), summary.nearly_dependent == 1 ? "" : "s",
                  options.method.rank_tolerance),
      summary.notes.dependent);
}

std::string passages_text(const Summary& summary) {
  const long members = summary.singular_passages;
  const std::string text =
      fmt::format("{} member{} near singular positions", grouped(members), members == 1 ? "" : "s");
  if (summary.passage_drift.member < 0) return text;
  return text + "; their energy drifts by up to " + drift_of(summary.passage_drift);
}

std::string lyapunov_text(const LyapunovOutcome& lyapunov) {
  std::string text = lyapunov.least == lyapunov.greatest
                         ? fmt::format("largest exponent {:.4g} 1/s", lyapunov.greatest)
                         : fmt::format("largest exponents {:.4g} to {:.4g} 1/s", lyapunov.least, lyapunov.greatest);
  text += fmt::format(", of {} independent direction{}", lyapunov.directions, lyapunov.directions == 1 ? "" : "s");
  const auto warn = [&](long members, const char* what) {
    if (members == 0) return;
    text += fmt::format("; warning: directions of {} member{} {}", grouped(members), members == 1 ? "" : "s", what);
  };
  warn(lyapunov.grown_apart, "grew farther apart between two saved times than digits carry, save more often");
  warn(lyapunov.outgrown_steps, "grew or shrank by more than e a step on average, bound solver.largest_step");
  return text;
}

std::string lost_derivatives_text(const Summary& summary) {
  return fmt::format(
      "not known (NaN) at the end of {} member{}: they are lost at impacts that graze or coincide, where the rank of "
      "the constraints changes, and near singular positions",
      grouped(summary.without_derivatives), summary.without_derivatives == 1 ? "" : "s");
}

std::string stiff_text(const SystemInfo& system, const Options& options, const Summary& summary) {
  const bool is_refused = !system.sensitivities.empty() || system.has_changes() || options.threads_per_member > 1 ||
                          may_change(options.events, options.clocks);
  return fmt::format("{} member{} stiff: steps are limited by stability{}", grouped(summary.stiff),
                     summary.stiff == 1 ? " is" : "s are",
                     is_refused ? "" : "; integrator = \"rodas5p\" takes longer ones");
}

std::string by_svd_text(const Summary& summary) {
  const long members = summary.members_by_svd;
  return fmt::format("{} stage{} of {} member{}, whose constraints were not clearly independent there",
                     scaled(summary.svd_stages), summary.svd_stages == 1 ? "" : "s", grouped(members),
                     members == 1 ? "" : "s");
}

}  // namespace

std::string failure_text(const Summary& summary) {
  std::string text = fmt::format("{} of {} member{} failed: {}\n", grouped(summary.failed()), grouped(summary.members),
                                 summary.members == 1 ? "" : "s", members_by_status(summary));
  for (const std::string& each : failures_text(summary)) text += "  " + each + "\n";
  return text;
}

std::vector<SummaryLine> summary_lines(const SystemInfo& system, const Options& options, const Summary& summary) {
  std::vector<SummaryLine> lines;
  const auto say = [&](const char* title, const std::string& text) { lines.push_back({title, text, false}); };
  const auto warn = [&](const char* title, const std::string& text) { lines.push_back({title, text, true}); };
  if (summary.interrupted) {
    warn("interrupted",
         fmt::format("{} of {} members finished", grouped(summary.finished_members), grouped(summary.members)));
  }
  say("members", members_by_status(summary));
  for (const EventOutcome& event : summary.events) say("event", event.name + " " + event_text(event));
  for (const EventOutcome& event : summary.events) {
    if (event.gaining > 0) warn("contact", gaining_text(event));
  }
  if (summary.starts.members > 0) warn("starts", shift_text(summary.starts));
  if (summary.starts_off > 0) warn("starts", off_text(options, summary));
  for (const std::string& each : failures_text(summary)) say("failure", each);
  const double rate = summary.seconds > 0 ? summary.member_steps / summary.seconds : 0;
  const std::string computing =
      summary.compute_seconds > 0 ? fmt::format(", {} of it computing", duration(summary.compute_seconds)) : "";
  say("steps", fmt::format("{} member-steps in {} ({}/s){}", scaled(summary.member_steps), duration(summary.seconds),
                           scaled(rate), computing));
  if (adapts(options.method.integrator)) say("rejected", rejected_text(summary));
  if (summary.stiff > 0) warn("stiffness", stiff_text(system, options, summary));
  if (summary.without_derivatives > 0) warn("derivatives", lost_derivatives_text(summary));
  if (!system.constraints.empty()) {
    say("constraints",
        fmt::format("worst violation {:.2g}, worst residual {:.2g}", summary.worst_violation, summary.worst_residual));
    say("rank", summary.rank_changes == 0
                    ? std::string("never changed")
                    : fmt::format("changed along the way in {} member{}", grouped(summary.rank_changes),
                                  summary.rank_changes == 1 ? "" : "s"));
    if (summary.drifting > 0) warn("drift", drifting_text(options, summary));
    if (summary.nearly_dependent > 0) warn("dependent", dependent_text(options, summary));
    if (summary.singular_passages > 0) say("passages", passages_text(summary));
    if (!system.exponents.empty() && summary.rank_changes + summary.singular_passages > 0) {
      warn("derivatives", "none (NaN) from where a rank changed or a singular position was near");
    }
    if (options.method.pseudo_inverse == PseudoInverse::automatic) {
      say("solver", fmt::format("{}, chosen by auto", pseudo_inverse_name(summary.pseudo_inverse)));
    }
    if (summary.members_by_svd > 0) say("by svd", by_svd_text(summary));
  }
  if (options.fields.has(Field::joint_reactions) && system.redundant_rows > 0) {
    say("reactions", fmt::format("not unique: {} redundant row{}; those of the multipliers of least norm",
                                 system.redundant_rows, system.redundant_rows == 1 ? "" : "s"));
  }
  if (summary.lyapunov.members > 0) {
    const bool is_doubtful = summary.lyapunov.grown_apart + summary.lyapunov.outgrown_steps > 0;
    lines.push_back({"lyapunov", lyapunov_text(summary.lyapunov), is_doubtful});
  }
  if (summary.drift.member >= 0) {
    lines.push_back(
        {"energy", drift_text(summary.drift, remedy_text(options, summary), options), summary.drift.is_large()});
  }
  const long whole = summary.by_status[static_cast<std::size_t>(Status::ok)];
  if (system.conserves_energy && summary.drift.member < 0 && whole > 0) {
    const bool changes = may_change(options.events, options.clocks) || system.has_changes();
    say("energy", changes ? "not judged: impacts, events or clocks may change it"
                          : "not watched: the members stay on the device");
  }
  if (summary.invariants.drifted > 0)
    warn("invariants", invariants_text(summary.invariants, remedy_text(options, summary), options));
  say("device", fmt::format("{}, {} precision", summary.device, precision_name(options.precision)));
  if (!summary.compiled.empty()) say("code", summary.compiled);
  return lines;
}

std::string line_text(const std::string& title, const std::string& text) {
  return fmt::format("  {:<12} {}\n", title, text);
}

std::string summary_text(const SystemInfo& system, const Options& options, const Summary& summary,
                         const std::string& file) {
  std::string text =
      fmt::format("{}: {} member{} from t = {} to {} s, {}\n", system.name, grouped(summary.members),
                  summary.members == 1 ? "" : "s", options.time.start, options.time.end, step_text(options));
  for (const SummaryLine& each : summary_lines(system, options, summary)) text += line_text(each.title, each.text);
  if (!file.empty()) text += line_text(summary.interrupted ? "partial file" : "file", file);
  return text;
}

std::vector<std::string> warnings_of(const SystemInfo& system, const Options& options, const Summary& summary) {
  std::vector<std::string> warnings;
  for (const SummaryLine& each : summary_lines(system, options, summary)) {
    if (each.is_warning) warnings.push_back(each.title + ": " + each.text);
  }
  return warnings;
}

std::string statistics_text(const SystemInfo& system, const Options& options, long members) {
  const std::size_t times = saved_times(options).size();
  const StatisticsPlan plan = plan_statistics(system, options, members, times);
  std::vector<std::string_view> names;
  for (const Statistic kind : options.statistics.kinds) names.push_back(statistic_name(kind));
  const std::string what =
      fmt::format("{} of {} number{} at {} time{}", fmt::join(names, ", "), plan.components,
                  plan.components == 1 ? "" : "s", grouped(static_cast<long>(times)), times == 1 ? "" : "s");
  if (plan.kept == 0) return what;
  if (plan.rank_error == 0) return what + "; quantiles are exact";
  return what + fmt::format("; quantiles are within {:.2g} % in rank", 100 * plan.rank_error);
}

}  // namespace kalaba
