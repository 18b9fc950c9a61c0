#pragma once

#include <utility>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// Variable that is given as an expression: its index in `variables`, and the place of the expression.
using StatedFormula = std::pair<std::size_t, Node>;

/// Compiles the variables that are given as expressions (parameters of parameters; starts of parameters and starts),
/// and sets their order of evaluation. An expression may use a start that the model computes from other starts. Throws
/// Error for inconsistent units, circular definitions, and invalid expressions.
void compile_formulas(const System& system, const std::vector<StatedFormula>& stated,
                      std::vector<SampledVariable>& variables);

}  // namespace kalaba
