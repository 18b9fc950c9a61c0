#include "check/sensitivities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/deviation.hpp"
#include "kalaba/sensitivities.hpp"

namespace kalaba::check {
namespace {

constexpr long steps = 10;  // of the default length: differences of the reference make each of them 4 times per column

/// The reference's differences of steps have a relative error of 1e-12, which a stiff motion amplifies.
constexpr double agreement_of_derivatives = 1e-9;

/// Returns the energy, the multipliers and the invariants of a system, except those that stay zero: these are errors,
/// mostly norms, which have no derivative there.
std::vector<Variable> observed_of(const SystemInfo& info) {
  std::vector<Variable> observed;
  for (std::size_t i = 0; i < info.invariants.size(); ++i) {
    if (info.invariance[i] != Invariance::zero) observed.push_back(info.invariants[i]);
  }
  if (has_field(info, Field::multipliers_sensitivity)) {
    for (const std::string& name : field_layout(info, Field::multipliers).components) {
      observed.push_back({name, "", 0, ""});
    }
  }
  if (info.has_energy) observed.push_back({std::string(field_name(Field::energy)), "J", 0, ""});
  return observed;
}

Options short_run(const DefaultRun& run, const SystemInfo& info, Backend backend) {
  Options options = default_options(run.system());
  options.backend = backend;
  options.method.pseudo_inverse = run.how().pseudo_inverse;
  options.method.integrator = sensitive_way(run.info()).integrator;
  options.time.end = options.time.start + std::min(steps, options.time.steps()) * options.time.dt;
  options.time.save_every = 0;
  options.save_at.clear();
  options.threads = 1;
  options.fields = {Field::q, Field::w, Field::rank, Field::q_sensitivity, Field::w_sensitivity};
  for (const DifferentiatedField& each : differentiated_fields) {
    for (const Field field : {each.field, each.sensitivity}) {
      if (has_field(info, field)) options.fields.add(field);
    }
  }
  return options;
}

bool has_independent_constraints(const DefaultRun& run) {
  const auto rows = static_cast<double>(run.info().constraints.size());
  return rows == 0 || run.value("rank", 0) == rows;
}

/// Returns the names of the first and the last parameter, and of the last start. A start that violates dependent
/// constraints has another rank, and differences of it belong to another motion.
std::vector<std::string> chosen_names(const DefaultRun& run) {
  const std::vector<std::string> all = sensitivity_names(run.info());
  const auto parameters = static_cast<std::size_t>(run.info().first_discrete());
  std::vector<std::string> chosen;
  if (parameters > 0) chosen.push_back(all.front());
  if (parameters > 1) chosen.push_back(all[parameters - 1]);
  if (has_independent_constraints(run)) chosen.push_back(all.back());
  return chosen;
}

double size_of(const Result& result, const std::vector<Variable>& variables, const std::string& prefix,
               const std::string& suffix) {
  double size = 0;
  const std::size_t last = result.times().size() - 1;
  for (const Variable& each : variables) {
    size = std::max(size, std::abs(result.values(prefix + each.name + suffix, last).front()));
  }
  return size;
}

/// Returns the worst deviation relative to a scale: the size of the column, or, if that is larger, a tenth of the size
/// of the state or observed quantity divided by the size of the variable.
Deviation worst_of(const Result& found, const Result& expected, const SystemInfo& info) {
  Deviation worst;
  const std::size_t last = expected.times().size() - 1;
  for (const Variable& along : info.sensitivities) {
    const std::string to = "_to_" + along.name;
    const double column = std::max(size_of(expected, info.coordinates, "sensitivity_", to),
                                   size_of(expected, info.rates, "sensitivity_", to));
    const double variable = along.value == 0 ? 1 : std::abs(along.value);
    const std::vector<Variable> observed = observed_of(info);
    for (const auto* kind : {&info.coordinates, &info.rates, &observed}) {
      const double size = std::max({column, size_of(expected, *kind, "sensitivity_", to),
                                    0.1 * size_of(expected, *kind, "", "") / variable, 1e-3 / variable});
      for (const Variable& each : *kind) {
        const std::string name = "sensitivity_" + each.name + to;
        const double here = found.values(name, std::min(last, found.times().size() - 1)).front();
        const double there = expected.values(name, last).front();
        if (std::isnan(here) && std::isnan(there)) continue;  // multipliers of dependent constraints
        const double error = std::abs(here - there);
        keep_worse(worst, {error, agreement_of_derivatives * size, each.name + " along " + along.name,
                           expected.times()[last]});
      }
    }
  }
  return worst;
}

}  // namespace

SensitiveWay sensitive_way(const SystemInfo& info) {
  const std::size_t extent = info.parameters.size() + info.coordinates.size() + info.constraints.size();
  std::vector<Integrator> shared;  // with the reference, which has no series
  for (const IntegratorFacts& each : integrators) {
    if (!each.uses_series) shared.push_back(static_cast<Integrator>(&each - integrators));
  }
  const std::size_t ways = shared.size();
  const Integrator integrator = shared[extent % ways];
  // For a single row all pseudo-inverses are the same division.
  if (info.constraints.size() < 2) return {PseudoInverse::svd, integrator};
  constexpr auto of_core = static_cast<std::size_t>(
      std::ranges::count_if(pseudo_inverses, [](const auto& each) { return each.type != nullptr; }));
  return {static_cast<PseudoInverse>((extent / ways) % of_core), integrator};
}

Verdicts judge_sensitivities(const DefaultRun& run) {
  if (run.how().backend != Backend::cpu || run.system().device_code.type.empty() || run.info().agents > 0) return {};
  if (run.how().pseudo_inverse != sensitive_way(run.info()).pseudo_inverse) return {};
  if (run.may_change()) {
    return {not_run(run.system(), run.how(), Kind::sensitivity,
                    "the reference has no derivatives through events, clocks and contacts")};
  }
  const std::vector<std::string> names = chosen_names(run);
  if (names.empty()) return {};
  const System system = with_sensitivities(run.system(), names);
  const Ensemble member(system, 1);
  const Options options = short_run(run, system.info, Backend::cpu);
  const std::string_view integrator = integrator_name(options.method.integrator);
  const Result found = kalaba::run(member, options);
  if (found.summary.device.starts_with("reference")) {
    return {not_run(run.system(), run.how(), Kind::sensitivity, found.summary.compiled)};
  }
  const Result expected = kalaba::run(member, short_run(run, system.info, Backend::reference));
  for (const Result* each : {&found, &expected}) {
    if (each->status().front() != Status::ok) {
      return {failed(run, Kind::sensitivity, fmt::format("{}: {}", integrator, status_name(each->status().front())))};
    }
  }
  const Deviation worst = worst_of(found, expected, system.info);
  return {judged(run, Kind::sensitivity, worst, fmt::format("{}: {}", integrator, worst.name))};
}

}  // namespace kalaba::check
