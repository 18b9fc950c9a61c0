#pragma once

#include <string>

#include "formula/derive.hpp"
#include "formula/print.hpp"

namespace kalaba::formula {

/// The derived equations, an equation a line: metric, force, velocity, constraints, A, b. Of long lists the first
/// entries and how many more there are.
std::string equations_text(const Graph& graph, const Terms& terms, const SystemInfo& info);
/// The same as LaTeX: the lines of an align* environment.
std::string equations_latex(const Graph& graph, const Terms& terms, const SystemInfo& info);

/// Sizes, what is constant, where A is zero (a picture of x and .), operations a stage.
std::string structure_text(const Graph& graph, const Terms& terms, const SystemInfo& info);

}  // namespace kalaba::formula
