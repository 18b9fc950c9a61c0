#include "report/data/shown_statistics.hpp"

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

std::vector<StatisticGradient> final_gradients(const EnsembleStatistics& statistics) {
  std::vector<StatisticGradient> all;
  for (const FieldStatistics& field : statistics.fields) {
    if (field.gradient_count.empty()) continue;
    const std::size_t size = field.count.size();
    const std::size_t along = statistics.along.size();
    for (const ShownComponent& shown : shown_components(field.layout)) {
      const std::size_t last = size - field.layout.size() + shown.place;
      const auto add = [&](const std::string& name, const std::vector<double>& values, std::size_t first) {
        if (values.empty()) return;
        StatisticGradient row = {shown.column, name, {}};
        for (std::size_t i = 0; i < along; ++i) row.along.push_back(values[first + i * size + last]);
        all.push_back(std::move(row));
      };
      add("mean", field.mean_gradient, 0);
      add("variance", field.variance_gradient, 0);
      add("std", field.std_gradient, 0);
      for (std::size_t share = 0; share < statistics.quantiles.size(); ++share) {
        add(fmt::format("q{}", statistics.quantiles[share]), field.quantile_gradient, share * along * size);
      }
    }
  }
  return all;
}

}  // namespace kalaba
