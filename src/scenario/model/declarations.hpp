#pragma once

#include <functional>

#include "scenario/model/variables.hpp"

namespace kalaba::text_model {

/// Returns the scenario's value of a structural count, if it replaces the model's default.
using AskedStructure = std::function<std::optional<Node>(const std::string& name)>;

/// Value that a clock sets with a delay.
struct DelayedValue {
  std::string target;
  std::string clock;
  int delay = 0;  ///< ticks
};

/// Reads [model.structure], [model.parameters], [model.coordinates] and the rates, momenta or quasi-velocities into the
/// draft: names, units, and the tables of its SystemInfo. Throws Error.
void read_structure(Draft& draft, const AskedStructure& asked);
void read_parameters(Draft& draft);
/// Reads [model.discrete]: discrete variables, which follow the parameters. For each of the values `delayed` of clocks
/// with a delay, variables that store it are added.
void read_discrete(Draft& draft, const std::vector<DelayedValue>& delayed);
/// Adds a discrete variable that starts at 0; returns its index among the parameters. name_parameters follows the last.
int add_discrete(Draft& draft, const std::string& name, const std::string& meaning, formula::Unit unit);
/// Passes the units and names of the parameters to the draft's names.
void name_parameters(Draft& draft);
void read_coordinates(Draft& draft);
void read_rates(Draft& draft);

/// Coordinate or rate of a mechanism, and the node of its joint.
struct MechanismFreedom {
  Node node;
  std::string name;
  std::string unit_text;  ///< empty: determined from other units
  formula::Unit unit;
};
/// Declares the coordinates and rates of a mechanism, in place of the tables. `has_velocity`: the rates are not those
/// of the coordinates.
void declare_freedoms(Draft& draft, const std::vector<MechanismFreedom>& coordinates,
                      const std::vector<MechanismFreedom>& rates, bool has_velocity);

}  // namespace kalaba::text_model
