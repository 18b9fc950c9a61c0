#pragma once

#include "backend/reference/linear.hpp"
#include "kalaba/core/method.hpp"

namespace kalaba::reference {

/// An embedded Runge-Kutta method in the notation of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations
/// I.
struct Tableau {
  int stages = 0;  ///< of a step; the last one is at its end
  Vector c;        ///< of all stages; those of the continuous extension follow those of the step
  Matrix a;        ///< [stage][rate]; row `stages` - 1 is b
  Matrix error;    ///< [estimate][rate]; if there are two, the second limits the use of the first
  Matrix dense;  ///< [k][rate]: terms that the continuous extension adds to the cubic through the ends, over the length
  double alpha = 0;  ///< of the step control: a factor error^-alpha ...
  double beta = 0;   ///< ... times (the previous error)^beta
};

/// Returns the tableau of an integrator with adaptive steps.
const Tableau& tableau_of(Integrator integrator);

}  // namespace kalaba::reference
