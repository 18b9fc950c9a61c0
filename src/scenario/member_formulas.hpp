#pragma once

#include <utility>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// A variable that is stated as an expression, by its place among `variables`, and where.
using StatedFormula = std::pair<std::size_t, Node>;

/// Gives the variables that are stated as expressions of others, parameters of parameters, starts of parameters and
/// starts, their programs, and the order in which they are computed: a start that such an expression uses may be one
/// that the model states by others. Throws Error: units that do not agree, circles, what expressions get wrong.
void compile_formulas(const System& system, const std::vector<StatedFormula>& stated,
                      std::vector<SampledVariable>& variables);

}  // namespace kalaba
