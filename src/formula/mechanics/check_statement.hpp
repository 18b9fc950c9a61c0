#pragma once

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// Throws StatementError where the statement is no mechanics: lists of the wrong length, an energy that is not of
/// second degree in the rates, a part that depends on what it may not.
void check_statement(const Graph& graph, const Statement& statement);

}  // namespace kalaba::formula
