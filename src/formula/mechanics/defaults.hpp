#pragma once

#include <vector>

#include "formula/graph/zero_terms.hpp"

namespace kalaba::formula {

/// Default values of the parameters.
std::vector<double> default_parameters(const SystemInfo& info);

/// Values of expressions of the parameters at their defaults. Derived starts (Terms::start_q or start_w) have their
/// values for a member of which no start is given.
std::vector<double> at_defaults(const Graph& graph, const std::vector<Id>& roots, const SystemInfo& info);

/// Default parameters, and the coordinates of the default start.
TypicalValues typical_values(const Graph& graph, const std::vector<Id>& start_q, const SystemInfo& info);

}  // namespace kalaba::formula
