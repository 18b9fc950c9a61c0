#include "scenario/read_sensitivities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "kalaba/core/rate/columns.hpp"
#include "kalaba/sensitivities.hpp"
#include "kalaba/swarm_limits.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr const char* key = "sensitivities.of";
constexpr const char* lyapunov_key = "sensitivities.lyapunov";

/// Place in the document where sensitivities are requested, for messages.
Node place_of(Document& document) {
  const auto node = document.find(key);
  return node ? *node : *document.find(lyapunov_key);
}

[[noreturn]] void refuse_variable(const Node& node, const std::string& name, const std::vector<std::string>& names) {
  if (name.starts_with("structure.")) {
    node.fail(
        fmt::format("expected a parameter or a start, found \"{}\", a whole number that nothing moves along", name));
  }
  std::string meant = suggestion(name, names);
  for (const std::string& each : names) {  // a name without its table prefix
    if (each.ends_with("." + name)) meant = "; did you mean " + each + "?";
  }
  node.fail(fmt::format("unknown variable \"{}\"{} (there are {})", name, meant, fmt::join(names, ", ")));
}

void check_names(const Node& node, const std::vector<std::string>& of, const std::vector<std::string>& names,
                 const SystemInfo& system) {
  const auto discrete = std::span(system.parameters).subspan(static_cast<std::size_t>(system.first_discrete()));
  if (of.empty()) node.fail("expected a variable such as \"" + names.front() + "\", found none");
  if (of.size() > static_cast<std::size_t>(Sensitivities::most)) {
    node.fail(fmt::format("expected at most {} variables, found {}", Sensitivities::most, of.size()));
  }
  for (const std::string& name : of) {
    for (const Variable& each : discrete) {
      if (name != "parameters." + each.name) continue;
      node.fail(fmt::format("expected a parameter or a start, found \"{}\", a discrete variable", name));
    }
    if (std::ranges::count(names, name) == 0) refuse_variable(node, name, names);
    if (std::ranges::count(of, name) > 1) node.fail(fmt::format("expected each once, found \"{}\" twice", name));
  }
}

}  // namespace

std::shared_ptr<const System> read_sensitivities(Document& document, std::shared_ptr<const System> system) {
  const auto node = document.find(key);
  const auto lyapunov = document.find(lyapunov_key);
  const bool has_exponents = lyapunov && lyapunov->boolean();
  if (!node && !has_exponents) {
    for (const Node& table : document.entries()) {  // through `entries`, so that a wrong key in the table stays unknown
      if (table.key() != "sensitivities" || (table.is_table() && !table.entries().empty() && !lyapunov)) continue;
      table.fail("of is missing; add of = [\"parameters.NAME\", \"initial.NAME\"]");
    }
    return system;
  }
  const Node& place = node ? *node : *lyapunov;
  if (const char* why = swarm_lacks(system->info, NotOfSwarms::sensitivities)) place.fail(why);
  const std::vector<std::string> of =
      with_all_starts(system->info, node ? node->texts() : std::vector<std::string>{"initial.*"});
  check_names(place, of, sensitivity_names(system->info), system->info);
  if (!has_exponents) return std::make_shared<const System>(with_sensitivities(*system, of));
  for (const std::string& name : of) {
    if (!name.starts_with("initial.")) {
      node->fail(fmt::format("Lyapunov exponents are of starts, such as \"initial.*\", found \"{}\"", name));
    }
  }
  return std::make_shared<const System>(with_lyapunov_exponents(*system, of));
}

void add_sensitivity_fields(const SystemInfo& system, FieldSet& fields) {
  if (!system.exponents.empty()) fields.add(Field::lyapunov_exponents);
  if (!has_field(system, Field::q_sensitivity)) return;
  for (const DifferentiatedField& each : differentiated_fields) {
    if (fields.has(each.sensitivity)) return;
  }
  fields = fields | FieldSet{Field::q_sensitivity, Field::w_sensitivity};
}

void check_sensitive_options(Document& document, const SystemInfo& system, const Options& options) {
  if (system.sensitivities.empty()) return;
  const Node node = place_of(document);
  if (const std::string why = fault_of_exponents(system, options); !why.empty()) {
    document.find(lyapunov_key)->fail(why);
  }
  const Watch watch = watch_of(options.events, system);
  for (int event = 0; event < watch.count; ++event) {
    if (watch.events[event].change.settles) continue;  // of a contact
    const std::string why = fault_of_differentiated(watch.events[event].expression, system);
    if (!why.empty())
      node.fail("sensitivities do not go with the event " + options.events[static_cast<std::size_t>(event)].name +
                ": " + why);
  }
  if (options.method.pseudo_inverse == PseudoInverse::cusolver) {
    node.fail("sensitivities are not by cuSOLVER, found solver.pseudo_inverse = \"cusolver\"");
  }
  if (options.threads_per_member > 1) {
    node.fail(fmt::format("sensitivities go with one thread a member of a GPU, found solver.threads_per_member = {}",
                          options.threads_per_member));
  }
}

void check_sensitive_members(Document& document, const SystemInfo& system, const Members& members, StartRule rule) {
  if (system.sensitivities.empty()) return;
  const Node node = place_of(document);
  if (rule != StartRule::as_given && rule != StartRule::project) {
    node.fail(
        fmt::format("sensitivities go with initial.project = true or false, found \"{}\"", start_rule_name(rule)));
  }
  for (const SampledVariable& variable : members.variables) {
    const bool is_start = variable.role != SampledVariable::Role::parameter;
    const std::string name = full_name(system, variable);
    if (variable.program) {
      node.fail(fmt::format("sensitivities do not go through formulas of members yet, found that of {}", name));
    }
    if (is_start && variable.distribution.is_axis() && members.design == SamplingDesign::one_at_a_time) {
      node.fail(fmt::format("sensitivities do not go with a start that one_at_a_time varies, found {}", name));
    }
  }
}

}  // namespace kalaba
