#pragma once

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Read the sections of the equations of motion into the draft's statement. All throw Error.
void read_velocity(Draft& draft);     ///< [model.velocity]
void read_energies(Draft& draft);     ///< lagrangian or hamiltonian
void read_metric(Draft& draft);       ///< mass or metric
void read_forces(Draft& draft);       ///< [model.force], [model.non_ideal], [model.actuation]
void read_constraints(Draft& draft);  ///< [model.holonomic], [model.nonholonomic]
void read_non_ideal(Draft& draft);    ///< [model.non_ideal]; after the constraints
void read_gains(Draft& draft);        ///< [model.gain]
void read_observables(Draft& draft);  ///< energy, valid, [model.invariants], [model.outputs]

/// Variables along which a force can act: rates, and coordinates if each has a rate.
std::vector<formula::Sort> directions(const Draft& draft);

}  // namespace kalaba::text_model
