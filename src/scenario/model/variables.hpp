#pragma once

#include <vector>

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// The most coordinates, rates, parameters or constraints that a model may have.
inline constexpr long most_variables = 512;

/// Places the entries of a table in its order; families over one count that follow each other interleave: x1, y1, x2,
/// y2 … Their names must be new. Fails for more than most_variables.
std::vector<Declared> declare(const Draft& draft, const Node& table, formula::Sort sort);
/// Fails for a name that outputs have a column of already.
void refuse_column(const Node& node, const std::string& name);
int count_of(const std::vector<Declared>& declared);

/// As outputs call a member of a family: x3, x3_dot.
std::string label(const std::string& name, long member);

/// Of every declared thing its variable, with the name that outputs use.
std::vector<Variable> labelled(const std::vector<Declared>& declared);

}  // namespace kalaba::text_model
