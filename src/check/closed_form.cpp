#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/deviation.hpp"
#include "check/judges.hpp"

namespace kalaba::check {
namespace {

constexpr double closed_form_tolerance = 1e-8;
constexpr int most_halvings = 4;
constexpr double least_order = 3.5;  // less than RK4's four, because the error has terms of higher order

/// The exact state at t: coordinates, then rates.
std::vector<double> exact_state(const System& system, double t) {
  std::vector<double> parameters;
  for (const Variable& each : system.info.parameters) parameters.push_back(each.value);
  std::vector<double> q(system.info.coordinates.size());
  std::vector<double> w(system.info.rates.size());
  system.closed_form(parameters.data(), t, q.data(), w.data());
  q.insert(q.end(), w.begin(), w.end());
  return q;
}

Deviation distance(const DefaultRun& run) {
  const std::vector<Variable> state = state_of(run.info());
  Deviation worst;
  for (std::size_t frame = 0; frame < run.frames(); ++frame) {
    const double t = run.times()[frame];
    const std::vector<double> exact = exact_state(run.system(), t);
    for (std::size_t i = 0; i < state.size(); ++i) {
      const double error = std::abs(run.value(state[i].name, frame) - exact[i]);
      keep_worse(worst, {error, closed_form_tolerance * std::max(1.0, std::abs(exact[i])), state[i].name, t});
    }
  }
  return worst;
}

DefaultRun with_finer_steps(const DefaultRun& run, int halvings) {
  TimeGrid time = run.time();
  time.dt = std::ldexp(time.dt, -halvings);
  time.save_every <<= halvings;
  return {run.system(), run.how(), time};
}

}  // namespace

Verdicts judge_closed_form(const DefaultRun& run) {
  if (run.system().closed_form == nullptr) return {};
  Deviation worst = distance(run);
  std::string remark;
  for (int halvings = 1; halvings <= most_halvings && !(worst.error <= worst.tolerance); ++halvings) {
    const Deviation finer = distance(with_finer_steps(run, halvings));
    const double order = std::log2(worst.error / finer.error);
    remark = fmt::format(", order {:.1f} as the step is halved to {:g} s", order, std::ldexp(run.time().dt, -halvings));
    if (!(order >= least_order)) break;  // the error above the tolerance then remains
    worst = finer;
  }
  return {judged(run, Kind::closed_form, worst, place(worst) + remark)};
}

}  // namespace kalaba::check
