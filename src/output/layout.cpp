#include "output/layout.hpp"

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
