#include "check/default_run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "kalaba/check_options.hpp"

namespace kalaba::check {
namespace {

Options options_of(const System& system, const Case& how, const TimeGrid& time, const Changes& changes) {
  Options options = default_options(system, how.precision);
  options.backend = how.backend;
  options.method.pseudo_inverse = how.pseudo_inverse;
  options.time = time;
  std::ranges::copy_if(changes.events, std::back_inserter(options.events),
                       [](const Event& each) { return !each.set.empty(); });
  options.clocks = changes.clocks;
  options.threads = 1;  // there is one member; the checks run in parallel instead
  for (const Field field : {Field::constraint_rate, Field::balance_rate, Field::rank}) options.fields.add(field);
  return options;
}

/// Returns the step that ends at that time; nothing if the time is between two steps.
std::optional<long> step_at(const TimeGrid& time, double moment) {
  const double steps = (moment - time.start) / time.dt;
  const double whole = std::round(steps);
  if (whole < 0 || std::abs(steps - whole) > 1e-6) return std::nullopt;
  return static_cast<long>(whole);
}

/// Returns a save_every such that the figures of the grid, and the multiples of `every`, are saved steps.
long common_stride(const TimeGrid& time, const std::vector<ExpectedFigure>& figures, long every) {
  for (const ExpectedFigure& figure : figures) {
    const auto step = step_at(time, figure.time);
    if (step && *step <= time.steps()) every = std::gcd(every, *step);
  }
  return std::max(every, 1L);
}

}  // namespace

std::string fault_of_case(const System& system, const Case& how, const TimeGrid& time, const Changes& changes) {
  return fault_of_changes(system.info, options_of(system, how, time, changes));
}

DefaultRun::DefaultRun(const System& system, const Case& how, const TimeGrid& time, const Changes& changes)
    : system_(&system),
      how_(how),
      time_(time),
      changes_(changes),
      result_(run(Ensemble(system, 1), options_of(system, how, time, changes))) {}

bool DefaultRun::may_change() const {
  return kalaba::may_change(changes_.events, changes_.clocks) || info().has_changes();
}

double DefaultRun::size(const std::vector<Variable>& variables, std::size_t frame) const {
  double largest = 0;
  for (const Variable& each : variables) largest = std::max(largest, std::abs(value(each.name, frame)));
  return largest;
}

double DefaultRun::acceleration(std::size_t frame) const {
  const auto required = field_layout(info(), Field::constraint_rate).components;
  const auto balancing = field_layout(info(), Field::balance_rate).components;
  double largest = 0;
  for (std::size_t i = 0; i < required.size(); ++i) {
    largest = std::max(largest, std::abs(value(required[i], frame) + value(balancing[i], frame)));
  }
  return largest;
}

std::optional<std::size_t> DefaultRun::frame_at(double moment) const {
  const auto step = step_at(time_, moment);
  if (!step || *step > time_.steps()) return std::nullopt;
  if (*step == time_.steps()) return last();
  if (*step % time_.save_every != 0) return std::nullopt;
  return static_cast<std::size_t>(*step / time_.save_every);
}

TimeGrid default_grid(const SystemInfo& info) {
  TimeGrid time = info.time;
  time.save_every = common_stride(time, info.figures, time.save_every);
  return time;
}

TimeGrid long_grid(const SystemInfo& info) {
  TimeGrid time = info.time;
  for (const ExpectedFigure& figure : info.figures) {
    if (step_at(time, figure.time)) time.end = std::max(time.end, figure.time);
  }
  constexpr long nothing_else = 0;  // gcd(0, n) = n
  time.save_every = common_stride(time, info.figures, nothing_else);
  return time;
}

bool is_long(const SystemInfo& info, const ExpectedFigure& figure) {
  return figure.time > info.time.end + 0.5 * info.time.dt;
}

std::vector<Variable> state_of(const SystemInfo& info) {
  std::vector<Variable> state = info.coordinates;
  state.insert(state.end(), info.rates.begin(), info.rates.end());
  return state;
}

std::string label(const SystemInfo& info) {
  std::string text = info.name;
  for (const auto& [parameter, value] : info.structure) text += " " + parameter + "=" + std::to_string(value);
  return text;
}

}  // namespace kalaba::check
