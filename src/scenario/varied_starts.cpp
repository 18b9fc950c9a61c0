#include "scenario/varied_starts.hpp"

#include "scenario/toml.hpp"

namespace kalaba {

std::vector<std::string> varied_starts(const std::string& scenario_text) {
  std::vector<std::string> names;
  try {
    const toml::table scenario = toml::parse(scenario_text);
    const toml::table* initial = scenario["initial"].as_table();
    if (initial == nullptr) return names;
    for (const auto& [key, value] : *initial) {
      if (value.is_table()) names.emplace_back(key.str());
    }
  } catch (const toml::parse_error&) {
    names.clear();  // whoever wrote the file had no scenario
  }
  return names;
}

}  // namespace kalaba
