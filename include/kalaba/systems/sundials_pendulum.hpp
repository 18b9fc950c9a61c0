#pragma once

#include "kalaba/systems/planar_pendulum.hpp"

namespace kalaba {

/// The pendulum of the SUNDIALS examples, with gravity chosen for a period of exactly 2 s.
struct SundialsPendulum : PlanarPendulum {
  static constexpr const char* name = "sundials_pendulum";
  static constexpr const char* summary = "pendulum in x, y with a period of exactly 2 s";
  static constexpr const char* source = "SUNDIALS examples (cvode, projection onto an invariant manifold)";
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass"}, {"L", "m", 1.0, "length of the rod"}, {"g", "m/s^2", 13.750371636040746, "gravity"}};
  static constexpr TimeGrid time = {.end = 30, .dt = 1e-3, .save_every = 300};
  // After fifteen periods the state is the initial one.
  static constexpr Figure figures[] = {{30, "x", 1.0}, {30, "y", 0.0}, {30, "x_dot", 0.0}, {30, "y_dot", 0.0}};
};

}  // namespace kalaba
