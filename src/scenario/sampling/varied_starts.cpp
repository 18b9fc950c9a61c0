#include "scenario/sampling/varied_starts.hpp"

#include <string_view>

#include "scenario/document/toml.hpp"

namespace kalaba {
namespace {

/// Adds the variables "initial.NAME" of a table [[correlated]].
void add_starts(const toml::node& table, std::vector<std::string>& names) {
  constexpr std::string_view prefix = "initial.";
  if (!table.is_table() || (*table.as_table())["variables"].as_array() == nullptr) return;
  for (const toml::node& item : *(*table.as_table())["variables"].as_array()) {
    const std::string name = item.value_or(std::string());
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  }
}

}  // namespace

std::vector<std::string> varied_starts(const std::string& scenario_text) {
  std::vector<std::string> names;
  try {
    const toml::table scenario = toml::parse(scenario_text);
    if (const toml::table* initial = scenario["initial"].as_table()) {
      for (const auto& [key, value] : *initial) {
        if (value.is_table()) names.emplace_back(key.str());
      }
    }
    if (const toml::array* correlated = scenario["correlated"].as_array()) {
      for (const toml::node& table : *correlated) add_starts(table, names);
    }
  } catch (const toml::parse_error&) {
    names.clear();  // the file was written without a scenario
  }
  return names;
}

}  // namespace kalaba
