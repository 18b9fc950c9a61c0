#include "scenario/read_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "kalaba/fields.hpp"
#include "kalaba/run.hpp"
#include "scenario/option_text.hpp"
#include "scenario/read_events.hpp"
#include "scenario/read_sensitivities.hpp"
#include "scenario/read_statistics.hpp"
#include "scenario/read_time.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr double most_devices = 1024;
const std::string not_projected = "a servo-constraint is not projected on: its actuators hold it";

Stabilization read_gains(const Node& node) {
  const std::string form = "{ baumgarte = [alpha, beta] } or { feedback = kappa }";
  const std::vector<Node> entries = node.entries();
  if (entries.size() != 1) node.fail(fmt::format("expected {}, found {} keys", form, entries.size()));
  const Node& gain = entries.front();
  if (gain.name() == "feedback") {
    const double kappa = gain.number();
    if (kappa < 0) gain.expected("a number of at least 0");
    return Stabilization::feedback(kappa);
  }
  if (gain.name() != "baumgarte") gain.fail("unknown key" + suggestion(gain.name(), {"baumgarte", "feedback"}));
  const std::vector<double> gains = gain.numbers();
  if (gains.size() != 2) gain.fail(fmt::format("expected [alpha, beta], found an array of {}", gains.size()));
  const Stabilization result = Stabilization::baumgarte(gains[0], gains[1]);
  const bool usable = gains[0] >= 0 && gains[1] >= 0 && std::isfinite(result.rate_gain + result.position_gain);
  if (!usable) {
    gain.fail(fmt::format("expected [alpha, beta] of at least 0 whose 2 alpha and beta^2 are finite, found [{}, {}]",
                          gains[0], gains[1]));
  }
  return result;
}

std::vector<int> read_devices(const Node& node) {
  std::vector<int> devices;
  for (const double number : node.number_list()) {
    if (number < 0 || number > most_devices || number != std::floor(number))
      node.expected("an array of device numbers");
    devices.push_back(static_cast<int>(number));
  }
  return devices;
}

std::string absence_of(const SystemInfo& system, Field field) {
  const std::string absence = fmt::format("{} states no {}", system.name, field_name(field));
  if (field == Field::lyapunov_exponents) return absence + "; add sensitivities.lyapunov = true";
  if (field == Field::joint_reactions) {
    return absence +
           (system.reactions_absence.empty() ? ", which joints of a mechanism have" : ": " + system.reactions_absence);
  }
  const bool is_derivative = field_layout(system, field).columns > 0;
  if (!is_derivative || system.exponents.empty()) return absence;
  return absence + ": with sensitivities.lyapunov the columns are made orthonormal anew at every saved time";
}

/// Names of a component: in tables, "lambda_1", and in Python, "multipliers_wire".
std::array<std::string, 2> component_names(const SystemInfo& system, const FieldLayout& layout, std::size_t component) {
  const std::vector<Variable>& labels = labels_of(system, layout.field);
  const std::string& in_tables = layout.components[component];
  if (labels.empty() || labels[component].name == in_tables) return {in_tables, in_tables};
  return {in_tables, layout.name + "_" + labels[component].name};
}

/// Adds a component to the saved ones. Returns false if no field has one of that name.
bool add_component(const Node& node, const std::string& word, const SystemInfo& system, SavedFields& fields) {
  for (const Field field : all_fields) {
    if (!has_field(system, field)) continue;
    const FieldLayout layout = field_layout(system, field);
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      if (layout.columns > 0 ? layout.components[i] != word
                             : std::ranges::count(component_names(system, layout, i), word) == 0) {
        continue;
      }
      if (layout.columns > 0) {
        node.fail(
            fmt::format("expected fields, found \"{}\", a component of the field \"{}\", which is saved as a whole",
                        word, layout.name));
      }
      const std::vector<std::string>& others = fields.components(field);
      if (fields.has(field) && (others.empty() || std::ranges::count(others, layout.components[i]) > 0)) {
        node.fail(fmt::format("expected each once, found \"{}\", which \"{}\" contains", word,
                              others.empty() ? layout.name : layout.components[i]));
      }
      fields.add_component(field, layout.components[i]);
      return true;
    }
  }
  return false;
}

/// Names of fields and components, for messages.
std::vector<std::string> names_to_save(const SystemInfo& system) {
  std::vector<std::string> names = field_names(system);
  for (const Field field : all_fields) {
    const FieldLayout layout = field_layout(system, field);
    for (std::size_t i = 0; layout.columns == 0 && i < layout.components.size(); ++i) {
      for (const std::string& name : component_names(system, layout, i)) names.push_back(name);
    }
  }
  return names;
}

SavedFields read_fields(const Node& node, const SystemInfo& system) {
  const std::vector<std::string> words = node.distinct_texts();
  SavedFields fields;
  std::vector<std::string> others;
  for (const std::string& word : words) {
    const auto field = std::ranges::find(all_fields, word, field_name);
    if (field == all_fields.end()) {
      others.push_back(word);
      continue;
    }
    if (!has_field(system, *field)) node.fail(absence_of(system, *field));
    fields.add(*field);
  }
  for (const std::string& word : others) {  // after the whole fields, which contain components
    if (add_component(node, word, system, fields)) continue;
    node.fail(fmt::format("unknown field \"{}\"{} (there are {}, and the components of each)", word,
                          suggestion(word, names_to_save(system)), fmt::join(field_names(system), ", ")));
  }
  return fields;
}

void read_value(const Node& node, const NumberOption& number, Options& options) {
  if (number.is_whole && number.among.empty()) {
    const bool is_single = options.precision == Precision::single_precision;
    const OptionRange& range = is_single ? number.single_range : number.range;
    const auto value = node.integer(static_cast<std::int64_t>(range.least), static_cast<std::int64_t>(range.most));
    return number.member.set(options, static_cast<double>(value));
  }
  const double value = node.number();
  if (!permits(number, options.precision, value)) node.expected(expected_values(number, options.precision));
  number.member.set(options, value);
}

void read_value(const Node& node, const FlagOption& flag, Options& options) {
  flag.member.set(options, node.boolean() ? 1 : 0);
}

void read_value(const Node& node, const ChoiceOption& choice, Options& options) {
  std::vector<std::string> words;
  for (const auto& [value, word] : choice.choices) words.emplace_back(word);
  choice.member.set(options, choice.choices[node.choice(words)].first);
}

/// Fails if a run with the options that were read so far cannot have this option.
void refuse_unavailable(const Node& node, const RunOption& option, const SystemInfo& system, const Options& options) {
  if (is_available(option, options, system.agents > 0)) return;
  if (option.use == OptionUse::swarms) node.fail(system.name + " has no pairs to sum; this key is for swarms");
  node.fail(fmt::format("is for integrator = \"{}\", and this run has \"{}\"", adaptive_names("\" or \""),
                        integrator_name(options.method.integrator)));
}

/// Reads an option with a form of its own. `node`: its value; null if the document has none.
void read_form(Document& document, const Node* node, OptionForm form, const SystemInfo& system, Options& options) {
  switch (form) {
    case OptionForm::save_every:
      read_save_every(document, "time", options.time);
      break;
    case OptionForm::save_at:
      options.save_at = read_save_at(document, options.time);
      break;
    case OptionForm::stabilization:
      if (node != nullptr) options.method.stabilization = read_stabilization(*node, system.servo);
      break;
    case OptionForm::devices:
      if (node != nullptr) options.devices = read_devices(*node);
      break;
    case OptionForm::fields:
      if (node != nullptr) options.fields = read_fields(*node, system);
      add_sensitivity_fields(system, options.fields);
      break;
    case OptionForm::statistics:
    case OptionForm::quantiles:
    case OptionForm::histogram:
    case OptionForm::group_by:
      if (node != nullptr) read_statistics(*node, form, system, options);
      break;
  }
}

void read_option(Document& document, const RunOption& option, const SystemInfo& system, Options& options) {
  const auto node = document.find(std::string(option.key));
  if (node) refuse_unavailable(*node, option, system, options);
  const auto read = [&](const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const OptionForm&>) {
      read_form(document, node ? &*node : nullptr, value, system, options);
    } else {
      if (node) read_value(*node, value, options);
    }
  };
  std::visit(read, option.value);
}

}  // namespace

Stabilization read_stabilization(const Node& node, bool servo) {
  if (node.is_table()) return read_gains(node);
  const std::vector<std::string> names = {"projection", "none"};
  const std::string form = "projection, none, { baumgarte = [alpha, beta] } or { feedback = kappa }";
  if (!node.is_text()) node.expected(form);
  if (node.text() == "projection") {
    if (servo) node.fail(not_projected + "; expected none, baumgarte or feedback");
    return Stabilization::projection();
  }
  if (node.text() == "none") return Stabilization::none();
  node.fail("expected " + form + ", found " + node.found() + suggestion(node.text(), names));
}

std::vector<std::string> field_names(const SystemInfo& system) {
  std::vector<std::string> names;
  for (const Field field : all_fields) {
    if (has_field(system, field)) names.emplace_back(field_name(field));
  }
  return names;
}

StartRule read_start_rule(Document& document, bool servo, Options& options) {
  StartRule rule = options.project_start ? StartRule::project : StartRule::as_given;
  if (const auto node = document.find("initial.project")) {
    if (node->is_text()) {
      rule = choice(*node, {StartRule::keep_varied, StartRule::refuse, StartRule::keep_given}, start_rule_name);
    } else {
      if (!node->is_boolean()) node->expected("true, false, \"keep_given\", \"keep_varied\" or \"refuse\"");
      rule = node->boolean() ? StartRule::project : StartRule::as_given;
    }
    if (servo && rule != StartRule::as_given) node->fail(not_projected + "; expected false");
  }
  // The backend projects the starts for which keep_given finds no solution.
  options.project_start = rule == StartRule::project || rule == StartRule::keep_given;
  return rule;
}

Options read_options(Document& document, const System& system, std::span<const RunOption> rows) {
  Options options = default_options(system);
  for (const RunOption& option : rows) {
    read_option(document, option, system.info, options);
    const bool is_single = options.precision == Precision::single_precision;
    if (option.key == "solver.precision" && is_single) set_single_defaults(options);
  }
  const Method& method = options.method;
  if (method.largest_step != 0 && method.smallest_step > method.largest_step) {
    const Node node = *document.find("solver.smallest_step");
    node.fail(fmt::format("expected at most solver.largest_step, {:g}, found {}", method.largest_step, node.found()));
  }
  read_events(document, system.info, options);
  read_clocks(document, system.info, options);
  return options;
}

void check_output(Document& document, const Options& options) {
  if (options.trajectories || options.statistics.any() || !options.events.empty()) return;
  document.find("output.trajectories")
      ->fail(
          "expected output.statistics or [[events]] where there are no trajectories, found neither: nothing would "
          "be written");
}

}  // namespace kalaba
