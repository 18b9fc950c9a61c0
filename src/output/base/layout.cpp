#include "output/base/layout.hpp"

#include <algorithm>

namespace kalaba {

std::vector<std::size_t> extents_of(const FieldLayout& layout) {
  std::vector<std::size_t> extents;
  if (layout.columns > 0) extents.push_back(layout.columns);
  if (!layout.dimension.empty()) extents.push_back(layout.components.size() / std::max(layout.columns, std::size_t{1}));
  return extents;
}

std::vector<std::size_t> place_of(const FieldLayout& layout, std::size_t component) {
  const std::vector<std::size_t> extents = extents_of(layout);
  if (extents.size() < 2) return std::vector<std::size_t>(extents.size(), component);
  return {component / extents.back(), component % extents.back()};
}

std::vector<std::string> dimensions_of(const FieldLayout& layout) {
  std::vector<std::string> dimensions;
  if (layout.columns > 0) dimensions.push_back("sensitivity");
  if (!layout.dimension.empty()) dimensions.push_back(layout.dimension);
  return dimensions;
}

}  // namespace kalaba
