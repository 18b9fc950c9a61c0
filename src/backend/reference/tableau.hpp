#pragma once

#include "backend/reference/linear.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba::reference {

/// An embedded Runge-Kutta method in the notation of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations
/// I.
struct Tableau {
  int stages = 0;  ///< of a step; the last one is at its end
  Vector c;        ///< of all stages; those of the continuous extension follow those of the step
  Matrix a;        ///< [stage][rate]; row `stages` - 1 is b
  Matrix error;    ///< [estimate][rate]; if there are two, the second limits the use of the first
  Matrix dense;  ///< [k][rate]: terms that the continuous extension adds to the cubic through the ends, over the length
  double alpha = 0;      ///< of the step control: a factor error^-alpha ...
  double beta = 0;       ///< ... times (the previous error)^beta
  double stability = 0;  ///< largest length times |lambda| for which a step is stable
};

/// A Rosenbrock method in the notation of Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.7:
/// (I - h gamma_ii J) k_i = h f(y_0 + sum_j alpha_ij k_j) + h J sum_j gamma_ij k_j + h^2 sum_j gamma_ij f_t.
struct Rosenbrock {
  Matrix alpha;
  Matrix gamma;  ///< with its diagonal
  Vector b;      ///< of the step
  Vector error;  ///< of its estimated error
  Matrix dense;  ///< d: the extension is (1 - s) y_0 + s y_1 + s (1 - s) (d_1 k + s (d_2 k + s d_3 k))
};

/// Returns Steinebach's method Rodas5P.
const Rosenbrock& rodas5p();

/// Returns the tableau of an integrator with adaptive steps; of a Rosenbrock method, its step control only.
const Tableau& tableau_of(Integrator integrator);

}  // namespace kalaba::reference
