#include "check/judges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/deviation.hpp"

namespace kalaba::check {
namespace {

// Tolerances for rounding errors, in units of the size to which they are relative.
constexpr double violation_rounding = 1e-13;
constexpr double residual_rounding = 1e-12;
constexpr double zero_rounding = 1e-12;

/// First integrals are constant up to RK4's truncation error, which is below this for steps of the default size.
constexpr double truncation = 1e-8;

/// Two backends use equal steps and differ only by rounding, about 1e-16 per step; the motion propagates the difference
/// over thousands of steps, with three digits of margin for its growth.
constexpr double agreement = 1e-9;

constexpr const char* changing = "events, clocks or contacts may change it";

bool has_number(const SystemInfo& info, const std::string& name) {
  const auto named = [&](const Variable& each) { return each.name == name; };
  return std::ranges::any_of(state_of(info), named) || std::ranges::any_of(info.invariants, named);
}

/// Single precision rounds at 6e-8 per step, and the motion propagates the error: in the catalogue the default runs end
/// with differences of 1e-6 to 2e-3.
constexpr double single_agreement = 1e-2;

/// 1 + |q| + |w|.
double state_size(const DefaultRun& run, std::size_t frame) {
  return 1 + run.size(run.info().coordinates, frame) + run.size(run.info().rates, frame);
}

/// Size of the terms of the constraints: phi of q^2 and phi' of q w, if they are quadratic.
double constraint_size(const DefaultRun& run, std::size_t frame) {
  return (1 + run.size(run.info().coordinates, frame)) * state_size(run, frame);
}

/// Size of the terms of A w' and b: A at most linear and b quadratic in the state.
double balance_size(const DefaultRun& run, std::size_t frame) {
  const double size = state_size(run, frame);
  return size * (size + run.acceleration(frame));
}

Verdict judge_figure(const DefaultRun& run, const ExpectedFigure& figure) {
  if (!has_number(run.info(), figure.name)) {
    return failed(run, Kind::figure, fmt::format("'{}' is no coordinate, rate or invariant", figure.name));
  }
  const auto frame = run.frame_at(figure.time);
  const std::string what = fmt::format("{} at {:g} s", figure.name, figure.time);
  if (!frame) return failed(run, Kind::figure, what + ": no step ends there");
  const double error = std::abs(run.value(figure.name, *frame) - figure.value);
  return judged(run, Kind::figure, {error, figure.tolerance, figure.name, figure.time}, what);
}

Verdict judge_invariant(const DefaultRun& run, const std::string& name, Invariance kind) {
  const bool zero = kind == Invariance::zero;
  const bool held = run.info().stabilization.kind == Stabilization::Kind::projection;
  const double first = zero ? 0 : run.value(name, 0);
  Deviation worst;
  for (std::size_t frame = 0; frame < run.frames(); ++frame) {
    const double tolerance = zero && held ? zero_rounding * state_size(run, frame) : truncation * (1 + std::abs(first));
    keep_worse(worst, {std::abs(run.value(name, frame) - first), tolerance, name, run.times()[frame]});
  }
  return judged(run, Kind::invariant, worst);
}

/// Judges the violation or the residual relative to the rounding error of its terms.
Verdict judge_rounding(const DefaultRun& run, Kind kind) {
  const std::string name(kind_name(kind));
  Deviation worst;
  for (std::size_t frame = 0; frame < run.frames(); ++frame) {
    const double tolerance = kind == Kind::residual ? residual_rounding * balance_size(run, frame)
                                                    : violation_rounding * constraint_size(run, frame);
    keep_worse(worst, {run.value(name, frame), tolerance, name, run.times()[frame]});
  }
  return judged(run, kind, worst, fmt::format("at {:g} s", worst.time));
}

std::string status_text(const DefaultRun& run) {
  return fmt::format("{} at {:g} s", status_name(run.status()), run.failure_time());
}

/// Difference of the final states, relative to the expected value of each component, or absolute below 1.
Deviation final_difference(const DefaultRun& run, const DefaultRun& expected, double tolerance) {
  Deviation worst;
  for (const Variable& each : state_of(run.info())) {
    const double value = expected.value(each.name, expected.last());
    const double error = std::abs(run.value(each.name, run.last()) - value);
    keep_worse(worst, {error, tolerance * std::max(1.0, std::abs(value)), each.name, run.times()[run.last()]});
  }
  return worst;
}

}  // namespace

Verdict judge_status(const DefaultRun& run) {
  if (run.status() == Status::ok) return judged(run, Kind::status, {0, 1, "", 0}, "ok");
  return failed(run, Kind::status, status_text(run));
}

Verdicts judge_figures(const DefaultRun& run, bool beyond_default_end) {
  Verdicts verdicts;
  for (const ExpectedFigure& figure : run.info().figures) {
    if (is_long(run.info(), figure) == beyond_default_end) verdicts.push_back(judge_figure(run, figure));
  }
  return verdicts;
}

Verdicts judge_invariants(const DefaultRun& run) {
  Verdicts verdicts;
  for (std::size_t i = 0; i < run.info().invariants.size(); ++i) {
    const Invariance kind = run.info().invariance[i];
    if (kind == Invariance::free) continue;
    const std::string& name = run.info().invariants[i].name;
    verdicts.push_back(run.may_change()
                           ? not_run(run.system(), run.how(), Kind::invariant, fmt::format("{}: {}", name, changing))
                           : judge_invariant(run, name, kind));
  }
  return verdicts;
}

Verdicts judge_energy(const DefaultRun& run) {
  const Drift& drift = run.summary().drift;
  if (!run.info().conserves_energy) return {};
  if (run.may_change()) return {not_run(run.system(), run.how(), Kind::energy, changing)};
  const double tolerance = truncation * (1 + std::abs(drift.first));
  return {judged(run, Kind::energy, {drift.energy, tolerance, "energy", run.times()[run.last()]})};
}

Verdicts judge_constraints(const DefaultRun& run) {
  Verdicts verdicts;
  if (run.info().constraints.empty()) return verdicts;
  if (run.info().stabilization.kind == Stabilization::Kind::projection) {
    verdicts.push_back(judge_rounding(run, Kind::violation));
  }
  verdicts.push_back(judge_rounding(run, Kind::residual));
  return verdicts;
}

Verdict judge_agreement(const DefaultRun& run, const DefaultRun& reference) {
  return judged(run, Kind::reference, final_difference(run, reference, agreement));
}

Verdict judge_single(const DefaultRun& single, const DefaultRun& run) {
  if (run.summary().singular_passages > 0) {
    return not_run(run.system(), single.how(), Kind::single,
                   "single precision cannot resolve the distance from singular positions");
  }
  if (single.status() != Status::ok) return failed(run, Kind::single, status_text(single));
  return judged(run, Kind::single, final_difference(single, run, single_agreement));
}

}  // namespace kalaba::check
