#include "report/text/summary.hpp"

#include <fmt/format.h>

#include "report/text/text.hpp"

namespace kalaba {
namespace {

std::string line(const std::string& title, const std::string& text) {
  return fmt::format("  {:<12} {}\n", title, text);
}

/// What stopped the members.
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

/// What the projection of starts did to what was asked for.
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

/// What may make the energy's drift smaller.
std::string remedy(const Options& options, const Summary& summary) {
  if (adapts(options.method.integrator)) return "smaller tolerances";
  return summary.singular_passages > 0 ? "shorter steps, or solver.integrator = \"dop853\"" : "shorter steps";
}

std::string drift_text(const Drift& drift, const std::string& remedy) {
  const std::string text = fmt::format("drifts by up to {} from {:.4g} J", drift_of(drift), drift.first);
  return drift.is_large() ? text + "; warning: more than a millionth, try " + remedy : text;
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

std::string by_svd_text(const Summary& summary) {
  const long members = summary.members_by_svd;
  return fmt::format("{} stage{} of {} member{}, whose constraints were not clearly independent there",
                     scaled(summary.svd_stages), summary.svd_stages == 1 ? "" : "s", grouped(members),
                     members == 1 ? "" : "s");
}

}  // namespace

std::string failure_text(const Summary& summary) {
  std::string text = fmt::format("{} of {} member{} failed: {}", grouped(summary.failed()), grouped(summary.members),
                                 summary.members == 1 ? "" : "s", members_by_status(summary));
  if (summary.first_failed >= 0) text += fmt::format("; the first is member {}", summary.first_failed);
  return summary.first_failure.empty() ? text : text + "; " + summary.first_failure;
}

std::string summary_text(const SystemInfo& system, const Options& options, const Summary& summary,
                         const std::string& file) {
  std::string text =
      fmt::format("{}: {} member{} from t = {} to {} s, {}\n", system.name, grouped(summary.members),
                  summary.members == 1 ? "" : "s", options.time.start, options.time.end, step_text(options));
  if (summary.interrupted) {
    text += line("interrupted",
                 fmt::format("{} of {} members finished", grouped(summary.finished_members), grouped(summary.members)));
  }
  text += line("members", members_by_status(summary));
  for (const EventOutcome& event : summary.events) text += line("event", event.name + " " + event_text(event));
  if (!summary.start_note.empty()) text += line("starts", summary.start_note);
  if (summary.starts.members > 0) text += line("starts", shift_text(summary.starts));
  if (!summary.first_failure.empty()) text += line("failure", summary.first_failure);
  const double rate = summary.seconds > 0 ? summary.member_steps / summary.seconds : 0;
  const std::string computing =
      summary.compute_seconds > 0 ? fmt::format(", {} of it computing", duration(summary.compute_seconds)) : "";
  text += line("steps", fmt::format("{} member-steps in {} ({}/s){}", scaled(summary.member_steps),
                                    duration(summary.seconds), scaled(rate), computing));
  if (adapts(options.method.integrator)) text += line("rejected", rejected_text(summary));
  if (!system.constraints.empty()) {
    text += line("constraints", fmt::format("worst violation {:.2g}, worst residual {:.2g}", summary.worst_violation,
                                            summary.worst_residual));
    text += line("rank", summary.rank_changes == 0
                             ? std::string("never changed")
                             : fmt::format("changed along the way in {} member{}", grouped(summary.rank_changes),
                                           summary.rank_changes == 1 ? "" : "s"));
    if (summary.singular_passages > 0) text += line("passages", passages_text(summary));
    if (!system.sensitivities.empty() && summary.rank_changes + summary.singular_passages > 0) {
      text += line("derivatives", "none (NaN) from where a rank changed or a singular position was near");
    }
    if (options.method.pseudo_inverse == PseudoInverse::automatic) {
      text += line("solver", fmt::format("{}, chosen by auto", pseudo_inverse_name(summary.pseudo_inverse)));
    }
    if (summary.members_by_svd > 0) text += line("by svd", by_svd_text(summary));
  }
  if (summary.lyapunov.members > 0) text += line("lyapunov", lyapunov_text(summary.lyapunov));
  if (summary.drift.member >= 0) text += line("energy", drift_text(summary.drift, remedy(options, summary)));
  text += line("device", fmt::format("{}, {} precision", summary.device, precision_name(options.precision)));
  if (!summary.compiled.empty()) text += line("code", summary.compiled);
  if (!file.empty()) text += line(summary.interrupted ? "partial file" : "file", file);
  return text;
}

}  // namespace kalaba
