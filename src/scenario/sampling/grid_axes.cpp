#include "scenario/sampling/grid_axes.hpp"

#include "scenario/document/toml.hpp"

namespace kalaba {
namespace {

/// Number of points of a distribution's table; 0 if it is not an axis.
long points_of(const toml::node_view<const toml::node>& table) {
  if (const toml::array* values = table["values"].as_array()) return static_cast<long>(values->size());
  const toml::array* const linspace = table["linspace"].as_array();
  if (linspace == nullptr || linspace->size() != 3) return 0;
  return linspace->get(2)->value_or(0L);
}

}  // namespace

std::vector<GridAxis> grid_axes(const std::string& scenario_text) {
  std::vector<GridAxis> axes;
  try {
    const toml::table scenario = toml::parse(scenario_text);
    const auto root = toml::node_view<const toml::node>(scenario);
    const toml::array* const names = root["ensemble"]["grid"].as_array();
    if (names == nullptr || root["ensemble"]["design"].value_or(std::string()) == "one_at_a_time") return {};
    for (const toml::node& item : *names) {
      const std::string name = item.value_or(std::string());
      const auto dot = name.find('.');
      if (dot == std::string::npos) return {};
      const long points = points_of(root[name.substr(0, dot)][name.substr(dot + 1)]);
      if (points == 0) return {};
      axes.push_back({name, points});
    }
  } catch (const toml::parse_error&) {
    axes.clear();  // the file was written without a scenario
  }
  return axes;
}

}  // namespace kalaba
