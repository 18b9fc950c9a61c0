#include "scenario/read_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <initializer_list>

#include "kalaba/least_tolerance.hpp"
#include "kalaba/run.hpp"
#include "scenario/document/limits.hpp"
#include "scenario/read_events.hpp"
#include "scenario/read_sensitivities.hpp"
#include "scenario/read_statistics.hpp"
#include "scenario/read_time.hpp"
#include "text/names_of.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr double most_devices = 1024;
constexpr double single_relative_tolerance = 1e-4;
constexpr double single_absolute_tolerance = 1e-6;
const std::string not_projected = "a servo-constraint is not projected on: its actuators hold it";

double tolerance(const Node& node) {
  const double value = node.number();
  if (value <= 0 || value >= 1) node.expected("a number between 0 and 1");
  return value;
}

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

double positive(const Node& node, const char* unit = "") {
  const double value = node.number();
  if (value <= 0) node.expected(fmt::format("a number{} greater than 0", unit));
  return value;
}

/// Reads the options of adaptive steps.
void read_step_control(Document& document, Precision precision, Method& method) {
  if (precision == Precision::single_precision) {
    method.relative_tolerance = single_relative_tolerance;
    method.absolute_tolerance = single_absolute_tolerance;
  }
  const double least = least_relative_tolerance(precision);
  const auto find = [&](const char* key) {
    auto node = document.find(key);
    if (node && !adapts(method.integrator)) {
      node->fail(fmt::format("is for integrator = \"{}\", and this run has \"{}\"", adaptive_names("\" or \""),
                             integrator_name(method.integrator)));
    }
    return node;
  };
  if (const auto node = find("solver.relative_tolerance")) {
    method.relative_tolerance = node->number();
    if (method.relative_tolerance < least || method.relative_tolerance >= 1) {
      node->expected(
          fmt::format("a number from {:.2g} (100 epsilon of {} precision) to 1", least, precision_name(precision)));
    }
  }
  if (const auto node = find("solver.absolute_tolerance")) method.absolute_tolerance = positive(*node);
  if (const auto node = find("solver.largest_step")) method.largest_step = positive(*node, " of seconds");
  if (const auto node = find("solver.smallest_step")) {
    method.smallest_step = positive(*node, " of seconds");
    if (method.largest_step != 0 && method.smallest_step > method.largest_step) {
      node->fail(
          fmt::format("expected at most solver.largest_step, {:g}, found {}", method.largest_step, node->found()));
    }
  }
  if (const auto node = find("solver.max_steps")) {
    constexpr long most_counted_in_single = 1L << 24;
    constexpr long most_counted_in_double = 1L << 53;
    const bool is_single = precision == Precision::single_precision;
    method.max_steps =
        static_cast<double>(node->integer(1, is_single ? most_counted_in_single : most_counted_in_double));
  }
}

void read_method(Document& document, bool servo, Precision precision, Method& method) {
  if (const auto node = document.find("solver.integrator")) {
    method.integrator = static_cast<Integrator>(node->choice(names_of(integrators)));
  }
  read_step_control(document, precision, method);
  if (const auto node = document.find("solver.pseudo_inverse")) {
    method.pseudo_inverse = static_cast<PseudoInverse>(node->choice(names_of(pseudo_inverses)));
  }
  if (const auto node = document.find("solver.rank_tolerance")) method.rank_tolerance = tolerance(*node);
  if (const auto node = document.find("solver.consistency_tolerance")) method.consistency_tolerance = tolerance(*node);
  if (const auto node = document.find("solver.stabilization")) {
    method.stabilization = read_stabilization(*node, servo);
  }
}

/// Reads the options of GPUs.
void read_gpu(Document& document, Options& options) {
  if (const auto node = document.find("solver.devices")) {
    for (const double number : node->numbers()) {
      if (number < 0 || number > most_devices || number != std::floor(number))
        node->expected("an array of device numbers");
      options.devices.push_back(static_cast<int>(number));
    }
  }
  if (const auto node = document.find("solver.threads_per_member")) {
    const long threads = node->integer(0, 32);
    if (threads != 0 && threads != 1 && threads != 4 && threads != 8 && threads != 16 && threads != 32) {
      node->expected("1, 4, 8, 16 or 32, or 0 for what fits the kernel");
    }
    options.threads_per_member = static_cast<int>(threads);
  }
}

/// Reads the option of a swarm's pair sum.
void read_pair_sum(Document& document, const SystemInfo& system, Options& options) {
  for (const char* key : {"solver.pair_sum", "solver.pair_tolerance"}) {
    const auto node = document.find(key);
    if (node && system.agents == 0) node->fail(system.name + " has no pairs to sum; this key is for swarms");
  }
  if (const auto node = document.find("solver.pair_sum")) {
    options.pair_sum =
        choice(*node, {PairSum::automatic, PairSum::all_pairs, PairSum::cells, PairSum::multipole}, pair_sum_name);
  }
  if (const auto node = document.find("solver.pair_tolerance")) options.pair_tolerance = tolerance(*node);
}

Precision read_precision(Document& document) {
  const auto node = document.find("solver.precision");
  if (!node) return Precision::double_precision;
  return choice(*node, {Precision::double_precision, Precision::single_precision}, precision_name);
}

void read_solver(Document& document, bool servo, Options& options) {
  if (const auto node = document.find("solver.backend")) {
    options.backend =
        choice(*node, {Backend::automatic, Backend::cuda, Backend::cpu, Backend::reference}, backend_name);
  }
  read_method(document, servo, options.precision, options.method);
  if (const auto node = document.find("solver.compile")) {
    options.compile = choice(*node, {Compile::automatic, Compile::never, Compile::always}, compile_name);
  }
  if (const auto node = document.find("solver.threads")) {
    options.threads = static_cast<int>(node->integer(0, most_threads));
  }
  if (const auto node = document.find("solver.block_members")) options.block_members = node->integer(0, most_members);
  if (const auto node = document.find("solver.memory")) {
    options.memory_budget = node->number();
    if (options.memory_budget < 1) node->expected("a number of bytes of at least 1");
  }
  read_gpu(document, options);
}

std::string absence_of(const SystemInfo& system, Field field) {
  const std::string absence = fmt::format("{} states no {}", system.name, field_name(field));
  if (field == Field::lyapunov_exponents) return absence + "; add sensitivities.lyapunov = true";
  const bool is_derivative = field_layout(system, field).columns > 0;
  if (!is_derivative || system.exponents.empty()) return absence;
  return absence + ": with sensitivities.lyapunov the columns are made orthonormal anew at every saved time";
}

FieldSet read_fields(const Node& node, const SystemInfo& system) {
  const std::vector<std::string> names = field_names(system);
  FieldSet fields;
  for (const std::string& word : node.distinct_texts()) {
    bool known = false;
    for (const Field field : all_fields) {
      if (field_name(field) != word) continue;
      if (!has_field(system, field)) node.fail(absence_of(system, field));
      fields.add(field);
      known = true;
    }
    if (!known) {
      node.fail(
          fmt::format("unknown field \"{}\"{} (there are {})", word, suggestion(word, names), fmt::join(names, ", ")));
    }
  }
  return fields;
}

}  // namespace

std::string adaptive_names(std::string_view between) {
  std::vector<std::string_view> names;
  for (const IntegratorFacts& each : integrators) {
    if (each.adapts()) names.emplace_back(each.name);
  }
  return fmt::format("{}", fmt::join(names, between));
}

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

Options read_options(Document& document, const System& system) {
  Options options = default_options(system, read_precision(document));
  options.time = read_time(document, options.time);
  options.save_at = read_save_at(document, options.time);
  read_solver(document, system.info.servo, options);
  read_pair_sum(document, system.info, options);
  if (const auto node = document.find("output.fields")) options.fields = read_fields(*node, system.info);
  add_sensitivity_fields(system.info, options.fields);
  read_statistics(document, system.info, options);
  read_events(document, system.info, options);
  if (!options.trajectories && !options.statistics.any() && options.events.empty()) {
    document.find("output.trajectories")
        ->fail(
            "expected output.statistics or [[events]] where there are no trajectories, found neither: nothing would "
            "be written");
  }
  return options;
}

}  // namespace kalaba
