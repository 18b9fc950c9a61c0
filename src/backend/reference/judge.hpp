#pragma once

#include <limits>
#include <vector>

#include "backend/reference/model.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba::reference {

/// Largest allowed magnitude of a number that should be zero: shares of the terms that it is summed from and of their
/// rounding sizes. A phi' may also reach the value that changes phi by its own allowance in `span` seconds.
struct Allowance {
  double of_terms = 0;
  double of_rounding = 0;
  double span = 0;
  double duration = std::numeric_limits<double>::infinity();  ///< of the run, s
  double step = 0;                                            ///< of the integrator, s
};

/// Allowance of the constraints in a run of `span` seconds in steps of `step` seconds: a millionth of their terms with
/// projection, a thousandth with feedback or without stabilisation; in single precision a thousandth.
Allowance constraint_allowance(const Method& method, bool single_precision, double span, double step);

/// Constraint with the largest deviation.
struct Gap {
  int row = -1;      ///< among phi, phi', psi, in this order; -1: there are no constraints
  double value = 0;  ///< in the unit of that row
  double share = 0;  ///< |value| divided by the allowance; violated above 1; infinite if not finite
};

Gap worst_gap(const MechanicalModel& model, const Instant& x, const Allowance& allowance);

/// Constraints that are nearly dependent at x: whose rank depends on `tolerance`, because a singular value of the unit
/// rows is within a factor of `above` above it or of `below` below it, relative to the largest.
struct Dependence {
  double value = 0;       ///< singular value, relative to the largest; 0: none is near the tolerance
  std::vector<int> rows;  ///< of the constraints that it is of, with the largest share first
};
Dependence near_dependence(const MechanicalModel& model, const Instant& x, double tolerance, double above,
                           double below);

/// Least size of the rows that are not zero at x, of their terms or of their rounding errors; 0 if all are zero.
double least_size(const MechanicalModel& model, const Instant& x);

/// w^T G w / 2.
double kinetic_energy(const MechanicalModel& model, const Instant& x);

}  // namespace kalaba::reference
