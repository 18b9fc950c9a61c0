#pragma once

#include "kalaba/core/portable.hpp"

namespace kalaba {

/// Which reading of the one equation a model gives: what w is, and what its metric and given force mean.
enum class Formulation : int {
  lagrange = 0,  ///< w = q', metric M, force Q:          M w' = Q
  hamilton = 1,  ///< w = p,  metric H_pp = 1/M, force -dH/dq:  w' = force
  kane = 2,      ///< w = u (quasi-velocities), metric Theta, force F - L:  Theta w' = F - L
};

/// A name, a unit (SI), a default value and a few words. In a repeated pattern "{}" stands for the copy's number.
struct Quantity {
  const char* name;
  const char* unit;
  double value = 0;
  const char* meaning = "";
};

/// What a number derived from the state does along a motion that keeps the constraints.
enum class Invariance : int {
  zero = 0,      ///< stays zero
  constant = 1,  ///< keeps its first value
  free = 2,      ///< moves; only reported
};

/// A named number of the state that a paper reports: a first integral, an error, an angle.
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

/// Times in s. Step k is at start + k dt; the end must be a whole number of steps away.
struct TimeGrid {
  double start = 0;
  double end = 1;
  double dt = 1e-3;
  long save_every = 1;  ///< steps between saved instants; 0: the end alone is saved

  /// Steps of dt that reach the end; the last is shorter where the end is no whole number of steps away, which only
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
