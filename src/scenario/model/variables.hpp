#pragma once

#include <vector>

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Maximum number of coordinates, rates, parameters or constraints of a model.
inline constexpr long most_variables = 10'000;

/// Assigns indices to the entries of a table in their order; consecutive families over the same count interleave: x1,
/// y1, x2, y2 … Fails for a name that exists already, and for more than most_variables.
std::vector<Declared> declare(const Draft& draft, const Node& table, formula::Sort sort);
/// Fails for a name that is already a column of the output.
void refuse_column(const Node& node, const std::string& name);
int count_of(const std::vector<Declared>& declared);

/// Counter of a family's entry for one of its members; empty for other entries.
formula::Bindings bindings_of(const Declared& each, long member);

/// Output name of a member of a family: x3, x3_dot.
std::string label(const std::string& name, long member);

/// Flattened variables of all declared entries, with their output names.
std::vector<Variable> labelled(const std::vector<Declared>& declared);

}  // namespace kalaba::text_model
