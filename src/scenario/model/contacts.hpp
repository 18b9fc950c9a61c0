#pragma once

#include "formula/mechanics/derive.hpp"
#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Declares the contacts of [model.unilateral] and of the limits of joints: their names, and the discrete variables
/// with their modes. After the other discrete variables, which they follow. Throws Error.
void declare_contacts(Draft& draft);

/// Reads a restitution, an expression of parameters of at least 0; 0 without a node. Throws Error.
formula::Id read_restitution(Draft& draft, const std::optional<Node>& node, const formula::Bindings& bindings);

/// Reads the gaps and laws of the contacts; their rows follow the holonomic constraints. Throws Error.
void read_contacts(Draft& draft);

/// Reads the friction of the contacts; the rows of those that stick follow all other constraints. Throws Error.
void read_friction(Draft& draft);

/// Adds the gaps and their rates to the contacts, as outputs if they are too long for events; fails for a model with
/// parts that do not go with contacts. Throws Error.
void complete_contacts(Draft& draft, formula::Terms& terms);

}  // namespace kalaba::text_model
