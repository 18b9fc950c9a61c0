#pragma once

#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Values of derived starts (Terms::start_q or start_w) of a member with default parameters, of which no start is
/// given.
std::vector<double> default_start(const Graph& graph, const std::vector<Id>& starts, const SystemInfo& info);

}  // namespace kalaba::formula
