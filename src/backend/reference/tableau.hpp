#pragma once

#include "backend/reference/linear.hpp"
#include "kalaba/core/method.hpp"

namespace kalaba::reference {

/// An embedded Runge-Kutta method in the notation of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations
/// I.
struct Tableau {
  int stages = 0;    ///< of a step; the last one is at its end
  Vector c;          ///< of all stages, those of the continuous extension behind the step's
  Matrix a;          ///< [stage][rate]; row `stages` - 1 is b
  Matrix error;      ///< [estimate][rate]; of two, the second one says where the first can be trusted
  Matrix dense;      ///< [k][rate]: what the continuous extension adds to the cubic through the ends, over the length
  double alpha = 0;  ///< of the step control: a factor error^-alpha ...
  double beta = 0;   ///< ... times the error before^beta
};

/// Returns the tableau of an integrator with adaptive steps.
const Tableau& tableau_of(Integrator integrator);

}  // namespace kalaba::reference
