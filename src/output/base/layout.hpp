#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Index of a component along the dimensions of its field's variable between time and members, and the sizes of these
/// dimensions: the component, after the column of a sensitivity; empty for a scalar.
std::vector<std::size_t> place_of(const FieldLayout& layout, std::size_t component);
std::vector<std::size_t> extents_of(const FieldLayout& layout);
/// Names of these dimensions.
std::vector<std::string> dimensions_of(const FieldLayout& layout);

}  // namespace kalaba
