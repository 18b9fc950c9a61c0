#pragma once

#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// The layouts of the fields of a set that the system has, in the order of `all_fields`: a system without energy has
/// no energy, one without constraints no multipliers.
std::vector<FieldLayout> saved_layouts(const SystemInfo& system, FieldSet fields);

/// Component `component` of a field for the members of a frame's block.
std::span<const double> component_row(const Frame& frame, const FieldLayout& layout, std::size_t component);

}  // namespace kalaba
