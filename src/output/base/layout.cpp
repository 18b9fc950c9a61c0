#include "output/base/layout.hpp"

#include <algorithm>

#include "kalaba/error.hpp"

namespace kalaba {

std::vector<FieldLayout> saved_layouts(const SystemInfo& system, FieldSet fields) {
  std::vector<FieldLayout> layouts;
  for (Field field : all_fields) {
    if (!fields.has(field)) continue;
    FieldLayout layout = field_layout(system, field);
    if (!layout.components.empty()) layouts.push_back(std::move(layout));
  }
  return layouts;
}

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

std::span<const double> component_row(const Frame& frame, const FieldLayout& layout, std::size_t component) {
  const auto stride = static_cast<std::size_t>(frame.block.stride);
  const auto members = static_cast<std::size_t>(frame.block.members);
  const std::span<const double> values = frame.values(layout.field);
  if (values.size() < component * stride + members) {
    throw Error(ExitCode::bad_input, "the backend did not compute the field " + layout.name);
  }
  return values.subspan(component * stride, members);
}

}  // namespace kalaba
