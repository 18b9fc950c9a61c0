#pragma once

#include <string>

#include "formula/code/function_writer.hpp"
#include "formula/code/slopes.hpp"

namespace kalaba::formula {

/// A group of derivatives as the struct that the core reads (kalaba/core/sensitivities/tangent.hpp), of the model of
/// that name. Throws Error (bad_input) for one of more than most_emitted_operations.
std::string slopes_text(const Graph& graph, const Hoisted& hoisted, const Slopes& slopes, const std::string& model);

}  // namespace kalaba::formula
