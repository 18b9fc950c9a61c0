#include "fit/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "fit/members.hpp"
#include "fit/normal_sums.hpp"
#include "kalaba/core/rate/columns.hpp"
#include "kalaba/sensitivities.hpp"
#include "kalaba/swarm_limits.hpp"
#include "text/nearest.hpp"

namespace kalaba::fit {
namespace {

std::string unit_text(const std::string& unit) { return unit.empty() || unit == "1" ? "" : " " + unit; }

[[noreturn]] void refuse_variable(const std::string& option, const std::string& name,
                                  const std::vector<std::string>& names, const std::string& what) {
  std::string meant = suggestion(name, names);
  for (const std::string& each : names) {  // a name without its table
    if (each.ends_with("." + name)) meant = "; did you mean " + each + "?";
  }
  refuse_input(fmt::format("{}: {} \"{}\"{} (there are {})", option, what, name, meant, fmt::join(names, ", ")));
}

/// The engine reports what it cannot differentiate. An event that is only recorded changes no motion and is omitted.
void check_motion(const SystemInfo& system, const Options& options, StartRule rule) {
  const auto stops = std::ranges::find(options.events, EventAction::stop, &Event::action);
  if (stops != options.events.end()) {
    refuse_input(
        fmt::format("{}: a fit does not go with events that stop the motion, found {}; -s 'events=[]' leaves them out",
                    system.name, stops->name));
  }
  if (rule != StartRule::as_given && rule != StartRule::project) {
    refuse_input(fmt::format("{}: a fit goes with initial.project = true or false, found \"{}\"", system.name,
                             start_rule_name(rule)));
  }
}

void check_times(const Problem& problem) {
  const TimeGrid& time = problem.options.time;
  const double rounding = 1e-9 * time.dt;
  const std::vector<double>& times = problem.data.times;
  const double outside = times.front() < time.start - rounding ? times.front() : times.back();
  if (times.front() >= time.start - rounding && times.back() <= time.end + rounding) return;
  refuse_input(
      fmt::format("--data: expected times from {:g} s to {:g} s, as the scenario's time.start and time.end are, "
                  "found {:g} s",
                  time.start, time.end, outside));
}

/// Saves at the data's times and ends the run with the last of them: later steps have no effect.
void take_times(Problem& problem) {
  TimeGrid& time = problem.options.time;
  problem.options.save_at = problem.data.times;
  const double steps = std::ceil((problem.data.times.back() - time.start) / time.dt - 1e-6);
  const long needed = std::max(static_cast<long>(steps), 1L);
  if (needed < time.steps()) time.end = time.at(needed);
}

void take_bounds(const std::vector<Bounds>& bounds, std::vector<FreeVariable>& free) {
  const std::vector<std::string> names = names_of(free);
  for (const Bounds& each : bounds) {
    const auto found = std::ranges::find(free, each.name, &FreeVariable::name);
    if (found == free.end()) refuse_variable("--bounds", each.name, names, "expected a free variable, found");
    if (std::ranges::count(bounds, each.name, &Bounds::name) > 1) refuse_input("--bounds: " + each.name + " has two");
    if (!(each.low < each.high) || !std::isfinite(each.low) || !std::isfinite(each.high)) {
      refuse_input(fmt::format("--bounds: {}: expected LOW:HIGH, two numbers that ascend, found {:g}:{:g}", each.name,
                               each.low, each.high));
    }
    if (!(found->first >= each.low && found->first <= each.high)) {
      refuse_input(
          fmt::format("--bounds: {}: expected the scenario's own value, from which the first start goes, within "
                      "{:g}:{:g}, found {:g}{}",
                      each.name, each.low, each.high, found->first, unit_text(found->unit)));
    }
    found->low = each.low;
    found->high = each.high;
  }
}

void take_sigmas(const SystemInfo& system, const std::vector<std::pair<std::string, double>>& sigmas,
                 Measurements& data) {
  if (sigmas.empty()) {
    std::vector<std::string> units;
    for (const Observed& each : observed_columns(system, data.columns)) {
      const std::string unit = field_layout(system, each.field).units[each.component];
      if (std::ranges::count(units, unit) == 0) units.push_back(unit);
    }
    if (units.size() > 1) {
      data.notes.push_back(
          fmt::format("numbers in {} count alike; --sigma A=...,B=... weighs them", fmt::join(units, " and ")));
    }
    return;
  }
  for (const auto& [name, sigma] : sigmas) {
    if (std::ranges::count(data.columns, name) == 0) {
      refuse_input(fmt::format("--sigma: expected a measured column ({}), found \"{}\"{}",
                               fmt::join(data.columns, ", "), name, suggestion(name, data.columns)));
    }
    if (!(sigma > 0) || !std::isfinite(sigma)) {
      refuse_input(fmt::format("--sigma: {}: expected a standard deviation above 0, found {:g}", name, sigma));
    }
  }
  for (const std::string& column : data.columns) {
    std::vector<double> found;
    for (const auto& [name, sigma] : sigmas) {
      if (name == column) found.push_back(sigma);
    }
    if (found.size() != 1) {
      refuse_input(fmt::format("--sigma: expected one for every measured column, or none at all; {} has {}", column,
                               found.empty() ? "none" : "two"));
    }
    data.sigmas.push_back(found.front());
  }
}

}  // namespace

bool FreeVariable::is_bounded() const { return std::isfinite(low) && std::isfinite(high); }

double FreeVariable::size(double value) const {
  if (value != 0 && std::isfinite(value)) return std::abs(value);
  return is_bounded() ? high - low : 1;
}

void check_free(const SystemInfo& system, const std::vector<std::string>& free) {
  if (const char* why = swarm_lacks(system, NotOfSwarms::fits)) refuse_input(std::string("--free: ") + why);
  const std::vector<std::string> names = sensitivity_names(system);
  if (free.empty()) refuse_input("--free: expected a variable such as " + names.front() + ", found none");
  for (const std::string& each : free) {
    if (each.starts_with("structure.")) {
      refuse_input(fmt::format(
          "--free: expected a parameter or a start, found \"{}\", a whole number, which is constant", each));
    }
    for (const Variable& discrete :
         std::span(system.parameters).subspan(static_cast<std::size_t>(system.first_discrete()))) {
      if (each != "parameters." + discrete.name) continue;
      refuse_input(fmt::format(
          "--free: expected a parameter or a start, found \"{}\", a discrete variable, whose start the model states",
          each));
    }
    if (std::ranges::count(names, each) == 0) refuse_variable("--free", each, names, "unknown variable");
    if (std::ranges::count(free, each) > 1) refuse_input(fmt::format("--free: \"{}\" is there twice", each));
  }
  if (free.size() > static_cast<std::size_t>(Sensitivities::most)) {
    refuse_input(fmt::format("--free: expected at most {} variables, found {}", Sensitivities::most, free.size()));
  }
}

Problem make_problem(const System& system, const MemberSource& source, const Options& options, StartRule rule,
                     Measurements data, const Request& request) {
  check_free(system.info, request.free);
  check_motion(system.info, options, rule);
  Problem problem;
  problem.system = with_sensitivities(system, request.free);
  problem.source = &source;
  problem.options = options;
  problem.options.statistics = {};
  std::erase_if(problem.options.events, [](const Event& each) { return each.set.empty(); });
  problem.options.watch = Watch();
  problem.data = std::move(data);
  problem.options.fields = {Field::q, Field::w, Field::q_sensitivity, Field::w_sensitivity};
  for (const Observed& each : observed_columns(problem.system.info, problem.data.columns)) {
    problem.options.fields = problem.options.fields | FieldSet{each.field, each.sensitivity};
  }
  problem.starts = request.starts;
  problem.seed = request.seed;
  problem.most_iterations = request.most_iterations;
  const FitMembers members(problem.system, source, {});
  for (const Variable& each : problem.system.info.sensitivities) {
    problem.free.push_back({.name = each.name, .unit = each.unit, .first = members.first(each.name)});
  }
  take_bounds(request.bounds, problem.free);
  take_sigmas(system.info, request.sigmas, problem.data);
  check_times(problem);
  take_times(problem);
  const std::size_t numbers = problem.data.readings.size();
  if (numbers < problem.free.size()) {
    refuse_input(fmt::format("--data: expected at least as many numbers as free variables, {}, found {}",
                             problem.free.size(), numbers));
  }
  for (const FreeVariable& each : problem.free) {
    if (problem.starts == 1 || each.is_bounded()) continue;
    refuse_input(
        fmt::format("--starts: expected bounds of every free variable to draw from, {0} has none; "
                    "--bounds {0}=LOW:HIGH",
                    each.name));
  }
  return problem;
}

}  // namespace kalaba::fit
