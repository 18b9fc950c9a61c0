#pragma once

#include <cstddef>
#include <vector>

#include "kalaba/fields.hpp"
#include "output/base/reader.hpp"

namespace kalaba {

/// Component of a field's statistics that a report shows.
struct ShownComponent {
  Column column;
  std::size_t place;  ///< index among the field's numbers per member, [component][agent]
};

inline constexpr long shown_agents = 3;

/// All components of a field; for a field per agent those of the first `shown_agents` agents, with their names in CSV
/// tables of statistics: x[0], x[1], ...
std::vector<ShownComponent> shown_components(const FieldLayout& layout);

}  // namespace kalaba
