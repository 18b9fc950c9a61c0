#include "report/data/shown_components.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kalaba {

std::vector<ShownComponent> shown_components(const FieldLayout& layout) {
  std::vector<ShownComponent> shown;
  const auto copies = static_cast<std::size_t>(std::max(layout.agents, 1L));
  for (std::size_t i = 0; i < layout.components.size(); ++i) {
    Column column = {layout.components[i], layout.units[i], layout.field, static_cast<int>(i), layout.is_held(i)};
    if (layout.agents == 0) {
      shown.push_back({column, i});
      continue;
    }
    for (long agent = 0; agent < std::min(layout.agents, shown_agents); ++agent) {
      column.name = fmt::format("{}[{}]", layout.components[i], agent);
      shown.push_back({column, i * copies + static_cast<std::size_t>(agent)});
    }
  }
  return shown;
}

}  // namespace kalaba
