#pragma once

#include <string>

#include "formula/mechanics/derive.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// The most operations that one evaluation of w' may take where it is emitted: compilers take minutes for more.
inline constexpr int most_emitted_operations = 50'000;
/// A function of more is compiled once and called.
inline constexpr int most_inlined_operations = 300;

/// Name of the emitted struct, in namespace kalaba.
inline constexpr const char* emitted_name = "StatedModel";

/// Emits the terms as a C++ struct that is a Model (kalaba/core/model/model.hpp), for every backend's compiler:
/// straight lines over template numbers; expressions of parameters alone in prepare(p); with the derivatives that
/// sensitivities along these directions, or a Jacobian, need. Identifiers are made up, numbers keep every bit, and no
/// text of the author is in it. Throws TooManyOperations for a model of more than most_emitted_operations.
DeviceCode emit(const Graph& graph, const Terms& terms, int parameters, const Derivatives& asked = {},
                const std::string& name = emitted_name);

}  // namespace kalaba::formula
