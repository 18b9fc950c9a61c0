#include "scenario/sampling/saltelli_variables.hpp"

#include <algorithm>
#include <utility>

#include "scenario/document/toml.hpp"
#include "scenario/sampling/unit_design.hpp"

namespace kalaba {

std::vector<std::string> saltelli_variables(const std::string& scenario_text) {
  std::vector<std::pair<toml::source_index, std::string>> written;  // one per line, in the system's order
  try {
    const toml::table scenario = toml::parse(scenario_text);
    const auto root = toml::node_view<const toml::node>(scenario);
    if (root["ensemble"]["design"].value_or(std::string()) != design_name(SamplingDesign::saltelli)) return {};
    for (const std::string table : {"parameters", "initial"}) {
      if (table == "initial" && root["structure"]["agents"]) continue;  // not drawn per member
      const toml::table* const values = root[table].as_table();
      if (values == nullptr) continue;
      for (const auto& [key, value] : *values) {
        if (value.is_table()) written.emplace_back(value.source().begin.line, table + "." + std::string(key.str()));
      }
    }
  } catch (const toml::parse_error&) {
    return {};  // the file was written without a scenario
  }
  std::ranges::sort(written);
  std::vector<std::string> names;
  for (auto& [line, name] : written) names.push_back(std::move(name));
  return names;
}

}  // namespace kalaba
