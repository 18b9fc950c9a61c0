#include "kalaba/check_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/reference/reference.hpp"
#include "engine/system/short_text.hpp"
#include "kalaba/error.hpp"
#include "kalaba/option_table.hpp"
#include "kalaba/run.hpp"
#include "kalaba/saved_times.hpp"
#include "kalaba/sensitivities.hpp"
#include "kalaba/swarm_limits.hpp"

namespace kalaba {

namespace {

/// Throws through refuse(why) if a number of the table of options is out of its range.
template <class Refuse>
void check_ranges(const System& system, const Options& options, const Refuse& refuse) {
  for (const RunOption& option : option_table()) {
    const auto* number = std::get_if<NumberOption>(&option.value);
    if (number == nullptr || !is_available(option, options, system.info.agents > 0)) continue;
    const double value = number->member.get(options);
    if ((number->may_be_unset && value == 0) || permits(*number, options.precision, value)) continue;
    refuse(std::string(option.key) + ": expected " + expected_values(*number, options.precision) + ", found " +
           short_text(value, 16));
  }
}

template <class Refuse>
void check_method(const Options& options, const Refuse& refuse) {
  const Method& method = options.method;
  if (!adapts(method.integrator)) return;
  if (method.largest_step != 0 && method.largest_step < method.smallest_step) {
    refuse("largest_step must not be below smallest_step");
  }
  if (method.pseudo_inverse == PseudoInverse::cusolver) {
    refuse("pseudo_inverse = \"cusolver\" goes with integrator = \"rk4\" alone");
  }
}

/// Throws if the integrator uses series or derivatives of the model's formulas and is not implemented for the run.
template <class Refuse>
void check_integrator(const System& system, const Options& options, const Refuse& refuse) {
  const IntegratorFacts& integrator = facts_of(options.method.integrator);
  const auto refuse_run = [&](const std::string& what) {
    refuse("integrator = \"" + std::string(integrator.name) + "\" does not support " + what + "; use \"dop853\"");
  };
  if (!integrator.uses_series && !system.info.sensitivities.empty() && system.find_jump) {
    if (const std::string jump = system.find_jump(); !jump.empty()) {
      refuse("sensitivities of a motion whose accelerations jump, here at " + jump +
             ", need integrator = \"taylor\", which finds how the time of the jump changes; found \"" +
             std::string(integrator.name) + '"');
    }
  }
  if ((integrator.uses_series || integrator.uses_slopes) && options.threads_per_member > 1) {
    refuse_run("threads_per_member");
  }
}

template <class Refuse>
void check_save_at(const Options& options, const Refuse& refuse) {
  const TimeGrid& time = options.time;
  const double rounding = 1e-9 * time.dt;
  double before = -std::numeric_limits<double>::infinity();
  for (const double t : options.save_at) {
    if (!(t >= time.start - rounding && t <= time.end + rounding)) {
      refuse("save_at must hold times from time.start to time.end");
    }
    if (!(t > before)) refuse("save_at must ascend");
    before = t;
  }
  if (same_step(time, options.save_at)) {
    refuse("save_at must ascend by more than rounding: two of its times are the same step");
  }
}

/// Returns the first discrete variable that a change sets to a value which depends on the motion; empty if there is
/// none.
std::string moving_discrete(const Watch& watch, const SystemInfo& system) {
  const auto of = [&](const Change& change) -> std::string {
    for (int i = change.first; i < change.first + change.count; ++i) {
      const Assignment& each = watch.assignments[i];
      if (each.sort != Settable::discrete) continue;
      for (const Instruction& now : std::span(watch.code + each.first, static_cast<std::size_t>(each.size))) {
        const bool is_of_motion = now.operation == Operation::coordinate || now.operation == Operation::rate ||
                                  now.operation == Operation::time || now.operation == Operation::observed ||
                                  (now.operation == Operation::parameter && now.index < watch.first_discrete);
        if (!is_of_motion) continue;
        const std::string& name = system.parameters[static_cast<std::size_t>(each.index)].name;
        return name.substr(0, name.find('@'));  // without the ticks of a delay
      }
    }
    return "";
  };
  for (int event = 0; event < watch.count; ++event) {
    if (const std::string name = of(watch.events[event].change); !name.empty()) return name;
  }
  for (int clock = 0; clock < watch.clock_count; ++clock) {
    if (const std::string name = of(watch.clocks[clock].change); !name.empty()) return name;
  }
  return "";
}

/// Returns why derivatives do not go through the changes of a watch; empty if they do.
std::string fault_of_derivatives(const Watch& watch, const SystemInfo& system, const Options& options,
                                 const std::string& what) {
  if (options.backend == Backend::reference) {
    return "sensitivities go through " + what + " on the backends \"cpu\" and \"cuda\", not on \"reference\"";
  }
  if (!system.exponents.empty()) return "Lyapunov exponents do not go through " + what + " yet";
  if (system.noise) return "sensitivities do not go through noise yet";
  if (watch.contact_count > 0 && system.impacts == ImpactOrder::sequential) {
    return "sensitivities do not go through impacts = \"sequential\" yet";
  }
  for (const Contact& each : system.contacts) {
    if (each.friction) return "sensitivities do not go through the friction of contact \"" + each.name + "\" yet";
    if (each.law == ImpactLaw::poisson) {
      return "sensitivities do not go through law = \"poisson\" of contact \"" + each.name + "\" yet";
    }
  }
  if (const std::string name = moving_discrete(watch, system); !name.empty()) {
    return "sensitivities do not go through the discrete variable " + name +
           " yet, which is set to a value that depends on the motion";
  }
  return "";
}

/// Returns why the changes of a watch are not made in a run; empty if they are, or if there are none.
std::string fault_of_changes(const Watch& watch, const SystemInfo& system, const Options& options) {
  if (!watch.changes()) return "";
  const bool is_noise = system.noise && watch.contact_count == 0 && !watch.events_change;
  const std::string what = watch.contact_count > 0 ? "contacts"
                           : watch.events_change   ? "events that change a member"
                           : is_noise              ? "noise"
                                                   : "clocks";
  if (!system.sensitivities.empty()) {
    if (const std::string why = fault_of_derivatives(watch, system, options, what); !why.empty()) return why;
  }
  if (options.precision == Precision::single_precision && adapts(options.method.integrator)) {
    return what + " with adaptive steps " + (is_noise ? "goes" : "go") +
           " with precision = \"double\", not with \"single\"";
  }
  if (options.threads_per_member > 1) {
    return what + (is_noise ? " goes" : " go") +
           " with one thread a member of a GPU: expected threads_per_member = 1, found " +
           std::to_string(options.threads_per_member);
  }
  if (options.precision == Precision::single_precision && watch.count > Watch::most_single_events) {
    return "expected at most " + std::to_string(Watch::most_single_events) +
           " events and contacts with precision = \"single\", found " + std::to_string(watch.count);
  }
  if (system.noise && options.time.start < 0)
    return "noise goes with time.start of at least 0, as clocks tick from 0 on";
  if (system.noise && options.precision == Precision::single_precision) {
    return "noise goes with precision = \"double\", not with \"single\"";
  }
  if (watch.contact_count > 0 && options.method.stabilization.kind != Stabilization::Kind::projection) {
    return "contacts go with stabilization = \"projection\" alone";
  }
  for (int clock = 0; clock < watch.clock_count; ++clock) {
    const std::string why = fault_of_period(watch.clocks[clock].every, options);
    if (why.empty()) continue;
    const bool is_noise = watch.clocks[clock].noise_key >= 0;
    return (is_noise ? "noise: " : "clock \"" + options.clocks[static_cast<std::size_t>(clock)].name + "\": ") + why;
  }
  return "";
}

/// Returns true if constraints or gaps depend on t explicitly, judged by their values at some times.
bool depends_on_time(const System& system, const Options& options) {
  if (!system.reference) return false;
  Options of_reference;
  of_reference.method = options.method;
  const std::unique_ptr<Runner> runner = system.reference(of_reference);
  const auto& model = dynamic_cast<const reference::ReferenceRunner&>(*runner).model();
  const auto numbers = [](const std::vector<Variable>& variables) {
    reference::Vector values(static_cast<long>(variables.size()));
    for (long i = 0; i < values.size(); ++i) values[i] = variables[static_cast<std::size_t>(i)].value;
    return values;
  };
  reference::Instant x = {numbers(system.info.parameters), 0, numbers(system.info.coordinates),
                          numbers(system.info.rates)};
  const auto at = [&](double t) {
    x.t = t;
    reference::Vector all(2 * model.holonomic + model.nonholonomic + model.contact_gaps(x).size());
    all << model.phi(x), model.phi_dot(x), model.psi(x), model.contact_gaps(x);
    return all;
  };
  const reference::Vector before = at(0.1);
  return std::ranges::any_of(std::vector{0.237, 0.71, 1.9, 13.3}, [&](double t) { return at(t) != before; });
}

template <class Refuse>
void check_events(const System& system, const Options& options, const Refuse& refuse) {
  if (options.events.empty() && options.clocks.empty() && !system.info.has_changes()) return;
  if (const char* why = swarm_lacks(system.info, NotOfSwarms::events)) refuse(why);
  if (options.method.pseudo_inverse == PseudoInverse::cusolver) {
    refuse("events and clocks go with pseudo_inverse = " + core_pseudo_inverses() + ", not with \"cusolver\"");
  }
  Watch watch;
  try {
    watch = watch_of(options.events, system.info, options.clocks);
  } catch (const Error& error) {
    refuse(error.what());
  }
  if (const std::string why = fault_of_changes(watch, system.info, options); !why.empty()) refuse(why);
  if (watch.changes() && !system.info.sensitivities.empty() && depends_on_time(system, options)) {
    refuse("sensitivities do not go through " + std::string(watch.contact_count > 0 ? "contacts" : "changes") +
           " of a model whose constraints or gaps depend on t yet");
  }
}

/// Returns the name of a discrete variable whose start depends on a parameter, judged by other values of the parameter;
/// empty if there is none.
std::string discrete_start_along(const System& system, std::size_t parameter) {
  if (!system.discrete_start) return "";
  const auto first = static_cast<std::size_t>(system.info.first_discrete());
  const auto starts = [&](double value) {
    std::vector<double> numbers;
    for (const Variable& each : system.info.parameters) numbers.push_back(each.value);
    numbers[parameter] = value;
    system.discrete_start(numbers.data(), numbers.data() + first);
    return numbers;
  };
  const double value = system.info.parameters[parameter].value;
  const std::vector<double> usual = starts(value);
  for (const double other : {std::numeric_limits<double>::quiet_NaN(), value + 1e-3 * (1 + std::abs(value))}) {
    const std::vector<double> changed = starts(other);
    for (std::size_t i = first; i < usual.size(); ++i) {
      if (changed[i] != usual[i]) return system.info.parameters[i].name;
    }
  }
  return "";
}

/// Throws if sensitivities are requested of something that cannot be differentiated yet.
template <class Refuse>
void check_sensitivities(const System& system, const Options& options, const Refuse& refuse) {
  if (system.info.sensitivities.empty()) return;
  if (const std::string why = fault_of_exponents(system.info, options); !why.empty()) refuse(why);
  for (std::size_t i = 0; i < static_cast<std::size_t>(system.info.first_discrete()); ++i) {
    const std::string name = "parameters." + system.info.parameters[i].name;
    if (std::ranges::count(system.info.sensitivities, name, &Variable::name) == 0) continue;
    const std::string discrete = discrete_start_along(system, i);
    if (discrete.empty()) continue;
    refuse("sensitivities to " + name + " do not go through the start of the discrete variable " + discrete +
           ", which depends on it, yet");
  }
  if (!options.events.empty()) {
    const Watch watch = watch_of(options.events, system.info);
    for (int event = 0; event < watch.count; ++event) {
      if (watch.events[event].change.settles) continue;  // of a contact
      const Event& each = options.events[static_cast<std::size_t>(event)];
      const std::string why = fault_of_differentiated(watch.events[event].expression, system.info);
      if (!why.empty()) refuse("sensitivities do not go with the event \"" + each.name + "\": " + why);
    }
  }
  if (options.method.pseudo_inverse == PseudoInverse::cusolver) {
    refuse("sensitivities go with pseudo_inverse = " + core_pseudo_inverses() + ", not with \"cusolver\"");
  }
  if (options.threads_per_member > 1) {
    refuse("sensitivities go with one thread a member of a GPU: expected threads_per_member = 1, found " +
           std::to_string(options.threads_per_member));
  }
}

}  // namespace

std::string fault_of_period(double every, const Options& options) {
  const double latest = std::max(std::abs(options.time.start), std::abs(options.time.end));
  if (every <= 1e-9 * latest) {
    return "its ticks are too close for times of this size: expected every above " + short_text(1e-9 * latest, 3);
  }
  // A step is not interrupted.
  if (!adapts(options.method.integrator) && every < 1e-4 * options.time.dt) {
    return "a step has more than 10,000 ticks: expected every of at least " + short_text(1e-4 * options.time.dt, 3) +
           ", or a shorter dt";
  }
  return "";
}

std::string fault_of_changes(const SystemInfo& system, const Options& options) {
  return fault_of_changes(watch_of(options.events, system, options.clocks), system, options);
}

void check_options(const System& system, const Options& options) {
  const auto refuse = [&](const std::string& why) { throw Error(ExitCode::bad_input, system.info.name + ": " + why); };
  const TimeGrid& time = options.time;
  if (!std::isfinite(time.start) || !std::isfinite(time.end) || !(time.dt > 0) || !std::isfinite(time.dt)) {
    refuse("time.start, time.end and dt must be finite, and dt positive");
  }
  if (!(time.end > time.start)) refuse("time.end must be after time.start");
  const double steps = (time.end - time.start) / time.dt;
  if (!(steps <= 1e12)) refuse("more than 1e12 steps");
  const bool is_whole = std::abs(steps - std::round(steps)) <= 1e-9 * std::max(1.0, steps);
  if (!is_whole && !adapts(options.method.integrator)) {
    refuse("time.end - time.start is not a whole number of dt");
  }
  if (time.save_every < 0) refuse("save_every must be at least 1, or 0 for the end alone");
  check_save_at(options, refuse);
  check_ranges(system, options, refuse);
  check_method(options, refuse);
  if (adapts(options.method.integrator)) {
    if (const char* why = swarm_lacks(system.info, NotOfSwarms::adaptive_steps)) refuse(why);
  }
  check_integrator(system, options, refuse);
  check_events(system, options, refuse);
  check_sensitivities(system, options, refuse);
  for (const Field field : all_fields) {
    if (options.fields.has(field) && !has_field(system.info, field)) {
      refuse("this system states no " + std::string(field_name(field)));
    }
    const FieldLayout layout = field_layout(system.info, field);
    for (const std::string& name : options.fields.components(field)) {
      if (layout.columns == 0 && std::ranges::count(layout.components, name) > 0) continue;
      refuse("the field " + layout.name + " has no component " + name + " that is saved alone");
    }
  }
  const bool projects = options.method.stabilization.kind == Stabilization::Kind::projection;
  if (system.info.servo && (projects || options.project_start)) {
    refuse(std::string("a servo-constraint is not projected on: its actuators hold it; ") +
           (projects ? "use stabilization none, baumgarte or feedback" : "its start neither: project_start = false"));
  }
}

}  // namespace kalaba
