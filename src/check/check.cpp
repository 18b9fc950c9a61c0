#include "check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "check/default_run.hpp"
#include "check/deviation.hpp"
#include "check/judges.hpp"
#include "check/sensitivities.hpp"
#include "check/swarm.hpp"

namespace kalaba::check {
namespace {

constexpr double patience = 10;  // s of the reference for one run, without --long
constexpr const char* left_out = "--long runs it";

void append(Verdicts& verdicts, const Verdicts& more) { verdicts.insert(verdicts.end(), more.begin(), more.end()); }

/// Approximate time of the reference, as measured on a core of 2.5 GHz: decompositions and the remaining work. It
/// depends only on the extents, so that every machine runs the same checks.
double reference_seconds(const SystemInfo& info, const TimeGrid& time) {
  const auto extent = static_cast<double>(info.rates.size() + info.constraints.size());
  return static_cast<double>(time.steps()) * (2e-5 + 1e-8 * extent * extent * extent);
}

/// The run of the reference, or the reason why there is none.
struct ReferenceRun {
  std::optional<DefaultRun> run;
  std::string absence;
};

ReferenceRun reference_run(const System& system, PseudoInverse method, bool with_long, const Changes& changes) {
  const TimeGrid time = default_grid(system.info);
  const Case how = {Backend::reference, method};
  if (std::string why = fault_of_case(system, how, time, changes); !why.empty()) return {std::nullopt, std::move(why)};
  if (!with_long && reference_seconds(system.info, time) > patience) return {std::nullopt, left_out};
  return {DefaultRun(system, how, time, changes), ""};
}

Verdicts judge_default_run(const DefaultRun& run) {
  Verdicts verdicts = {judge_status(run)};
  if (run.status() != Status::ok) return verdicts;  // the state of a failed member is that of an earlier time
  append(verdicts, judge_figures(run, false));
  append(verdicts, judge_closed_form(run));
  append(verdicts, judge_invariants(run));
  append(verdicts, judge_energy(run));
  append(verdicts, judge_constraints(run));
  return verdicts;
}

Verdict compare(const DefaultRun& run, const ReferenceRun& reference) {
  if (!reference.run) return not_run(run.system(), run.how(), Kind::reference, reference.absence);
  if (reference.run->status() == Status::ok) return judge_agreement(run, *reference.run);
  return failed(run, Kind::reference, "the reference does not reach the end");
}

/// Judges the run in single precision, which interpreted models do not support.
Verdict judge_in_single(const DefaultRun& run) {
  const Case in_single = {run.how().backend, run.how().pseudo_inverse, Precision::single_precision};
  if (run.may_change()) {
    return not_run(run.system(), in_single, Kind::single, "rounding moves the times at which the member changes");
  }
  try {
    return judge_single(DefaultRun(run.system(), in_single, run.time()), run);
  } catch (const Error& error) {
    if (error.code() != ExitCode::no_backend) throw;
    return not_run(run.system(), in_single, Kind::single, error.what());
  }
}

/// Judges the default run on a backend against the system's known facts and the reference's run.
Verdicts judge_backend(const System& system, const Case& how, const ReferenceRun& reference, const Changes& changes) {
  if (how.backend == Backend::reference) {
    return reference.run ? judge_default_run(*reference.run)
                         : Verdicts{not_run(system, how, Kind::status, reference.absence)};
  }
  const TimeGrid time = default_grid(system.info);
  if (const std::string why = fault_of_case(system, how, time, changes); !why.empty()) {
    return {not_run(system, how, Kind::status, why)};
  }
  const DefaultRun run(system, how, time, changes);
  if (run.summary().device.starts_with("reference"))
    return {not_run(system, how, Kind::status, run.summary().compiled)};
  Verdicts verdicts = judge_default_run(run);
  if (run.status() != Status::ok) return verdicts;
  verdicts.push_back(compare(run, reference));
  verdicts.push_back(judge_in_single(run));
  append(verdicts, judge_sensitivities(run));
  return verdicts;
}

/// Judges the figures beyond the default end.
Verdicts judge_long_run(const System& system, const Case& how, bool with_long, const Changes& changes) {
  Verdicts verdicts;
  for (const ExpectedFigure& each : system.info.figures) {
    if (!is_long(system.info, each)) continue;
    const std::string what = fmt::format("{} at {:g} s: {}", each.name, each.time, left_out);
    verdicts.push_back(not_run(system, how, Kind::figure, what));
  }
  if (verdicts.empty() || !with_long) return verdicts;
  const TimeGrid time = long_grid(system.info);
  if (!fault_of_case(system, how, time, changes).empty()) return verdicts;
  const DefaultRun run(system, how, time, changes);
  return run.status() == Status::ok ? judge_figures(run, true) : Verdicts{judge_status(run)};
}

}  // namespace

Verdicts check_system(const System& system, std::span<const Backend> backends, bool with_long, const Changes& changes) {
  if (system.info.agents > 0) return check_swarm(backends);
  Verdicts verdicts;
  const auto by_svd = reference_run(system, PseudoInverse::svd, with_long, changes);
  const auto by_qr = reference_run(system, PseudoInverse::qr, with_long, changes);
  for (const Backend backend : backends) {
    for (int number = 0; pseudo_inverses[number].type != nullptr; ++number) {
      const auto method = static_cast<PseudoInverse>(number);
      if (backend == Backend::reference && method == PseudoInverse::ldlt)
        continue;  // the reference replaces it by the SVD
      const Case how = {backend, method};
      append(verdicts, judge_backend(system, how, method == PseudoInverse::qr ? by_qr : by_svd, changes));
      append(verdicts, judge_long_run(system, how, with_long, changes));
    }
  }
  return verdicts;
}

}  // namespace kalaba::check
