#pragma once

#include <string>

#include "formula/graph/print.hpp"
#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// The derived equations, one a line: metric, force, velocity, constraints, A, b. Long lists are cut, with the number
/// of omitted entries.
std::string equations_text(const Graph& graph, const Terms& terms, const SystemInfo& info);
/// The derived equations in LaTeX: the lines of an align* environment.
std::string equations_latex(const Graph& graph, const Terms& terms, const SystemInfo& info);

/// Sizes, what is constant, where A is zero (a picture of x and .), operations a stage.
std::string structure_text(const Graph& graph, const Terms& terms, const SystemInfo& info);

}  // namespace kalaba::formula
