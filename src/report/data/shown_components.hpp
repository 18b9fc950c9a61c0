#pragma once

#include <cstddef>
#include <vector>

#include "kalaba/fields.hpp"
#include "output/base/reader.hpp"

namespace kalaba {

/// A component of a field's statistics, as a report shows it.
struct ShownComponent {
  Column column;
  std::size_t place;  ///< among the field's numbers a member, [component][agent]
};

inline constexpr long shown_agents = 3;

/// All components of a field; of a field by agents those of the first `shown_agents` agents, by the names that
/// statistics have in CSV tables: x[0], x[1], ...
std::vector<ShownComponent> shown_components(const FieldLayout& layout);

}  // namespace kalaba
