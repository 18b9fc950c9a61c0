#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// The layouts of the fields of a set that the system has, in the order of `all_fields`: a system without energy has
/// no energy, one without constraints no multipliers.
std::vector<FieldLayout> saved_layouts(const SystemInfo& system, FieldSet fields);

/// Where a component lies along the dimensions of its field's variable between the time and the members, and how far
/// these reach: its component, behind the column of a sensitivity; of a scalar nothing.
std::vector<std::size_t> place_of(const FieldLayout& layout, std::size_t component);
std::vector<std::size_t> extents_of(const FieldLayout& layout);
/// Their names.
std::vector<std::string> dimensions_of(const FieldLayout& layout);

/// Component `component` of a field for the members of a frame's block.
std::span<const double> component_row(const Frame& frame, const FieldLayout& layout, std::size_t component);

}  // namespace kalaba
