#pragma once

#include <functional>

#include "scenario/model/variables.hpp"

namespace kalaba::text_model {

/// Returns the scenario's value of a structural count, if it replaces the model's default.
using AskedStructure = std::function<std::optional<Node>(const std::string& name)>;

/// Reads [model.structure], [model.parameters], [model.coordinates] and the rates, momenta or quasi-velocities into the
/// draft: names, units, and the tables of its SystemInfo. Throws Error.
void read_structure(Draft& draft, const AskedStructure& asked);
void read_parameters(Draft& draft);
void read_coordinates(Draft& draft);
void read_rates(Draft& draft);

}  // namespace kalaba::text_model
