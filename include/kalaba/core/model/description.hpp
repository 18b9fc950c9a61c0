#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Meaning of w, of the metric and of the given force of a model.
enum class Formulation : int {
  lagrange = 0,  ///< w = q', metric M, force Q:          M w' = Q
  hamilton = 1,  ///< w = p,  metric H_pp = 1/M, force -dH/dq:  w' = force
  kane = 2,      ///< w = u (quasi-velocities), metric Theta, force F - L:  Theta w' = F - L
};

/// A name, a unit (SI), a default value and a short description. In a repeated pattern "{}" stands for the copy's
/// number.
struct Quantity {
  const char* name;
  const char* unit;
  double value = 0;
  const char* meaning = "";
};

/// Behaviour of a number derived from the state along a motion that satisfies the constraints.
enum class Invariance : int {
  zero = 0,      ///< stays zero
  constant = 1,  ///< keeps its initial value
  free = 2,      ///< varies; only reported
};

/// A named number derived from the state that a paper reports: a first integral, an error, an angle.
struct Invariant {
  const char* name;
  const char* unit;
  Invariance kind = Invariance::constant;
  const char* meaning = "";
};

/// An expected value of a coordinate, a rate or an invariant of the default run, published or computed independently.
struct Figure {
  double time;
  const char* name;
  double value;
  double tolerance = 1e-8;
};

/// Times in s. Step k is at start + k dt; with equal steps, end - start must be a multiple of dt.
struct TimeGrid {
  double start = 0;
  double end = 1;
  double dt = 1e-3;
  long save_every = 1;  ///< steps between saved times; 0: only the end is saved

  /// Number of steps of dt to the end. The last step is shorter if end - start is no multiple of dt, which only
  /// adaptive steps allow.
  KALABA_FN constexpr long steps() const {
    const double exact = (end - start) / dt;
    const long near = static_cast<long>(exact + 0.5);
    const double rounding = 1e-9 * static_cast<double>(near > 1 ? near : 1);
    return exact > static_cast<double>(near) + rounding ? near + 1 : near;
  }
  KALABA_FN constexpr double at(long step) const {
    const double t = start + static_cast<double>(step) * dt;
    return t > end + 1e-3 * dt ? end : t;
  }
};

}  // namespace kalaba
