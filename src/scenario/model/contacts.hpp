#pragma once

#include "formula/mechanics/derive.hpp"
#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Declares the contacts of [model.unilateral]: their names, and the discrete variables with their modes. After the
/// other discrete variables, which they follow. Throws Error.
void declare_contacts(Draft& draft);

/// Reads the gaps and laws of the contacts; their rows follow the holonomic constraints. Throws Error.
void read_contacts(Draft& draft);

/// Adds the rates of the gaps; fails for a model with parts that do not go with contacts. Throws Error.
void complete_contacts(Draft& draft, const formula::Terms& terms);

}  // namespace kalaba::text_model
