#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Layouts of the fields of a set that the system has, in the order of `all_fields`: without energy no energy field,
/// without constraints no multipliers.
std::vector<FieldLayout> saved_layouts(const SystemInfo& system, FieldSet fields);

/// Index of a component along the dimensions of its field's variable between time and members, and the sizes of these
/// dimensions: the component, after the column of a sensitivity; empty for a scalar.
std::vector<std::size_t> place_of(const FieldLayout& layout, std::size_t component);
std::vector<std::size_t> extents_of(const FieldLayout& layout);
/// Names of these dimensions.
std::vector<std::string> dimensions_of(const FieldLayout& layout);

/// Component `component` of a field for the members of a frame's block.
std::span<const double> component_row(const Frame& frame, const FieldLayout& layout, std::size_t component);

}  // namespace kalaba
