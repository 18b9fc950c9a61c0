#pragma once

#include <string>

#include "formula/derive.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// The most operations that one evaluation of w' may take where it is emitted: compilers take minutes for more.
inline constexpr int most_emitted_operations = 20'000;
/// A function of more is compiled once and called.
inline constexpr int most_inlined_operations = 300;

/// A struct that is a Model (kalaba/core/model.hpp), as C++ for every backend's compiler: straight lines over template
/// numbers, what depends on parameters alone in prepare(p). Identifiers are made up, numbers keep every bit, and no
/// text of the author is in it. `name` is that of the struct, in namespace kalaba. Throws Error (bad_input) for a model
/// of more than most_emitted_operations.
DeviceCode emit(const Graph& graph, const Terms& terms, int parameters, const std::string& name = "StatedModel");

/// Emits the model with the groups of derivatives that sensitivities use.
DeviceCode emit(Graph& graph, const Terms& terms, int parameters, const Derivatives& asked,
                const std::string& name = "StatedModel");

}  // namespace kalaba::formula
