#include "scenario/read_statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kalaba/statistics.hpp"
#include "scenario/option_text.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

/// Reads the statistics, in the order of `all_statistics`.
std::vector<Statistic> read_kinds(const Node& node) {
  const std::vector<std::string> words = node.distinct_texts();
  std::vector<std::string> names;
  std::vector<Statistic> kinds;
  for (const Statistic kind : all_statistics) {
    names.emplace_back(statistic_name(kind));
    if (std::ranges::count(words, names.back()) > 0) kinds.push_back(kind);
  }
  for (const std::string& word : words) {
    if (std::ranges::count(names, word) > 0) continue;
    node.fail(fmt::format("unknown statistic \"{}\"{} (there are {})", word, suggestion(word, names),
                          fmt::join(names, ", ")));
  }
  return kinds;
}

std::vector<double> read_quantiles(const Node& node, const StatisticsOptions& statistics) {
  if (!statistics.has(Statistic::quantiles)) {
    node.fail(
        fmt::format("expected \"quantiles\" among output.statistics, found {}", toml_statistics(statistics.kinds)));
  }
  const std::vector<double> shares = node.number_list();
  const bool ascending = std::ranges::adjacent_find(shares, std::greater_equal()) == shares.end();
  if (shares.empty() || shares.front() < 0 || shares.back() > 1 || !ascending) {
    node.fail(fmt::format("expected ascending numbers from 0 to 1, found [{}]", fmt::join(shares, ", ")));
  }
  return shares;
}

/// Names of the saved components.
std::vector<std::string> components_of(const SystemInfo& system, const SavedFields& fields) {
  std::vector<std::string> names;
  for (const FieldLayout& layout : saved_layouts(system, fields)) {
    names.insert(names.end(), layout.components.begin(), layout.components.end());
  }
  return names;
}

HistogramRange read_range(const Node& node) {
  const std::string form = "[low, high] with low < high";
  const std::vector<double> ends = node.numbers();
  if (ends.size() != 2) node.fail(fmt::format("expected {}, found an array of {}", form, ends.size()));
  if (!(ends[0] < ends[1]) || !std::isfinite(ends[1] - ends[0])) {
    node.fail(fmt::format("expected {}, found [{}, {}]", form, ends[0], ends[1]));
  }
  return {node.name(), ends[0], ends[1]};
}

/// Reads { bins = n, COMPONENT = [low, high], ... }; a run determines the ranges that are not given.
void read_histogram(const Node& node, const std::vector<std::string>& components, StatisticsOptions& statistics) {
  constexpr long most_bins = 100'000;
  if (!statistics.has(Statistic::histogram)) {
    node.fail(
        fmt::format("expected \"histogram\" among output.statistics, found {}", toml_statistics(statistics.kinds)));
  }
  if (!node.is_table()) node.expected("a table such as { bins = 40, energy = [0.0, 1.0] }");
  for (const Node& entry : node.entries()) {
    if (entry.name() == "bins") {
      statistics.bins = entry.integer(1, most_bins);
    } else if (std::ranges::count(components, entry.name()) == 0) {
      entry.fail(fmt::format("expected a component of output.fields or bins{} (there are {})",
                             suggestion(entry.name(), components), fmt::join(components, ", ")));
    } else {
      statistics.histograms.push_back(read_range(entry));
    }
  }
}

void require_gradients(const Node& node, const SystemInfo& system, const Options& options) {
  const auto has_gradient = [&](Field field) { return gradient_source(system, options, field).has_value(); };
  if (std::ranges::any_of(all_fields, has_gradient)) return;
  if (!has_field(system, Field::q_sensitivity)) {
    node.fail(system.exponents.empty()
                  ? "\"gradient\" is along sensitivities: add [sensitivities] of = [\"parameters.NAME\"]"
                  : "\"gradient\" is along sensitivities; with sensitivities.lyapunov there are none");
  }
  node.fail(
      "expected a field with its sensitivity, such as \"q\" and \"q_sensitivity\", among output.fields, for "
      "\"gradient\"; found " +
      toml_fields(options.fields));
}

/// Returns true if a variable differs between members.
bool varies(const SampledVariable& variable, SamplingDesign design) {
  const Distribution& distribution = variable.distribution;
  if (distribution.kind == Distribution::Kind::constant) return false;
  if (!distribution.is_axis() || distribution.points() > 1) return true;
  if (design != SamplingDesign::one_at_a_time) return false;
  // A start at rest is computed from its member's parameters.
  return variable.role != SampledVariable::Role::parameter || distribution.at_point(0) != variable.at_rest;
}

/// Distinct values of a variable with few values, ascending.
std::vector<double> read_groups(const Node& node, const SampledVariable& variable, SamplingDesign design) {
  using Kind = Distribution::Kind;
  const Distribution& distribution = variable.distribution;
  constexpr long most_groups = 1000;
  const std::string form = "a variable of few values, such as { linspace = [1, 10, 4] } or { values = [1, 2, 5] }";
  std::vector<double> values = distribution.values;
  if (!varies(variable, design)) node.fail(fmt::format("expected {}, found {}, one number", form, node.text()));
  if (distribution.kind == Kind::linspace && distribution.points() <= most_groups) {
    for (long point = 0; point < distribution.points(); ++point) values.push_back(distribution.at_point(point));
  } else if (distribution.is_drawn() && distribution.kind != Kind::discrete) {
    node.fail(fmt::format("expected {}, found {}, which is drawn from a continuous distribution", form, node.text()));
  }
  if (design == SamplingDesign::one_at_a_time && distribution.is_axis()) {
    if (variable.role != SampledVariable::Role::parameter) {
      node.fail(fmt::format(
          "expected a parameter, found {}: a start follows from its member's parameters while one_at_a_time "
          "varies another",
          node.text()));
    }
    values.push_back(variable.at_rest);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  auto count = static_cast<long>(values.size());
  if (distribution.kind == Kind::linspace) count = std::max(count, distribution.points());
  if (count > most_groups) {
    node.fail(fmt::format("expected a variable of at most {} values, found {} of {}", most_groups, node.text(), count));
  }
  return values;
}

}  // namespace

void read_statistics(const Node& node, OptionForm form, const SystemInfo& system, Options& options) {
  StatisticsOptions& statistics = options.statistics;
  if (form == OptionForm::statistics) {
    statistics.kinds = read_kinds(node);
    if (statistics.any() && options.fields.bits() == 0) {
      node.fail("expected a field for the statistics in output.fields, found none");
    }
    if (statistics.has(Statistic::gradient)) require_gradients(node, system, options);
  } else if (form == OptionForm::quantiles) {
    statistics.quantiles = read_quantiles(node, statistics);
  } else if (form == OptionForm::histogram) {
    read_histogram(node, components_of(system, options.fields), statistics);
  } else {
    statistics.group_by = node.text();
    if (!statistics.any()) node.fail("expected a statistic of the groups in output.statistics, found none");
  }
}

void read_statistics_inputs(Document& document, const SystemInfo& system, const Members& members,
                            StatisticsOptions& statistics) {
  const auto group_by = document.find("output.group_by");
  std::vector<std::string> names;
  for (const SampledVariable& variable : members.variables) {
    const bool is_parameter = variable.role == SampledVariable::Role::parameter;
    if (is_parameter && variable.index >= system.first_discrete()) continue;  // follows from the model
    names.push_back(full_name(system, variable));
    if (varies(variable, members.design) && statistics.has(Statistic::correlation)) {
      statistics.inputs.push_back(names.back());
    }
    if (group_by && names.back() == statistics.group_by) {
      statistics.groups = read_groups(*group_by, variable, members.design);
    }
  }
  if (statistics.has(Statistic::correlation) && statistics.inputs.empty()) {
    document.find("output.statistics")
        ->fail("expected a parameter or initial value that varies over the members, to correlate with; found none");
  }
  if (group_by && std::ranges::count(names, statistics.group_by) == 0) {
    group_by->fail(fmt::format("expected a variable that varies over the members, found \"{}\"{} (there are {})",
                               statistics.group_by, suggestion(statistics.group_by, names), fmt::join(names, ", ")));
  }
}

}  // namespace kalaba
