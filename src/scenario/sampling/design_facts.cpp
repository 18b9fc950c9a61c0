#include "scenario/sampling/design_facts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "scenario/document/toml.hpp"
#include "scenario/sampling/unit_design.hpp"

namespace kalaba {
namespace {

using Root = toml::node_view<const toml::node>;

/// Adds the variables "initial.NAME" of a table [[correlated]].
void add_starts(const toml::node& table, std::vector<std::string>& names) {
  constexpr std::string_view prefix = "initial.";
  if (!table.is_table() || (*table.as_table())["variables"].as_array() == nullptr) return;
  for (const toml::node& item : *(*table.as_table())["variables"].as_array()) {
    const std::string name = item.value_or(std::string());
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  }
}

std::vector<std::string> varied_starts(const Root& scenario) {
  std::vector<std::string> names;
  if (const toml::table* initial = scenario["initial"].as_table()) {
    for (const auto& [key, value] : *initial) {
      if (value.is_table()) names.emplace_back(key.str());
    }
  }
  if (const toml::array* correlated = scenario["correlated"].as_array()) {
    for (const toml::node& table : *correlated) add_starts(table, names);
  }
  return names;
}

/// Number of points of a distribution's table; 0 if it is not an axis.
long points_of(const toml::node_view<const toml::node>& table) {
  if (const toml::array* values = table["values"].as_array()) return static_cast<long>(values->size());
  const toml::array* const linspace = table["linspace"].as_array();
  if (linspace == nullptr || linspace->size() != 3) return 0;
  return linspace->get(2)->value_or(0L);
}

std::vector<GridAxis> grid_axes(const Root& scenario) {
  std::vector<GridAxis> axes;
  const toml::array* const names = scenario["ensemble"]["grid"].as_array();
  if (names == nullptr || scenario["ensemble"]["design"].value_or(std::string()) == "one_at_a_time") return {};
  for (const toml::node& item : *names) {
    const std::string name = item.value_or(std::string());
    const auto dot = name.find('.');
    if (dot == std::string::npos) return {};
    const long points = points_of(scenario[name.substr(0, dot)][name.substr(dot + 1)]);
    if (points == 0) return {};
    axes.push_back({name, points});
  }
  return axes;
}

std::vector<std::string> saltelli_variables(const Root& scenario) {
  if (scenario["ensemble"]["design"].value_or(std::string()) != design_name(SamplingDesign::saltelli)) return {};
  std::vector<std::pair<toml::source_index, std::string>> written;  // one per line, in the system's order
  for (const std::string table : {"parameters", "initial"}) {
    if (table == "initial" && scenario["structure"]["agents"]) continue;  // not drawn per member
    const toml::table* const values = scenario[table].as_table();
    if (values == nullptr) continue;
    for (const auto& [key, value] : *values) {
      if (value.is_table()) written.emplace_back(value.source().begin.line, table + "." + std::string(key.str()));
    }
  }
  std::ranges::sort(written);
  std::vector<std::string> names;
  for (auto& [line, name] : written) names.push_back(std::move(name));
  return names;
}

}  // namespace

DesignFacts design_facts(const std::string& scenario_text) {
  try {
    const toml::table scenario = toml::parse(scenario_text);
    const Root root(scenario);
    return {varied_starts(root), grid_axes(root), saltelli_variables(root)};
  } catch (const toml::parse_error&) {
    return {};  // the file was written without a scenario
  }
}

}  // namespace kalaba
