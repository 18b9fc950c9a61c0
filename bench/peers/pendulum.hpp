#pragma once

#include <vector>

#include "problem.hpp"

namespace kalaba::peers {

/// Members of a spherical_pendulum problem, [member].
struct Pendulums {
  std::vector<double> mass, length, gravity;
  std::vector<double> state[6];  ///< x, y, z, p_x, p_y, p_z

  explicit Pendulums(const bench::Problem& problem) {
    Ensemble ensemble = problem.ensemble();
    const auto copy = [](std::span<const double> row) { return std::vector<double>(row.begin(), row.end()); };
    mass = copy(ensemble.parameter("m"));
    length = copy(ensemble.parameter("L"));
    gravity = copy(ensemble.parameter("g"));
    int i = 0;
    for (const char* name : {"x", "y", "z", "p_x", "p_y", "p_z"}) state[i++] = copy(ensemble.initial(name));
  }
};

/// Constrained rate by hand (Udwadia 2016, section 4.1): q' = p/m, p' = (0, 0, m g) - (m/L^2)(|p|^2/m^2 + g z) q. X is
/// a number, or a SIMD register of members.
template <class X>
struct PendulumRate {
  X inverse_mass, stiffness, gravity, weight;  ///< 1/m, m/L^2, g, m g

  PendulumRate(const X& m, const X& length, const X& g)
      : inverse_mass(X(1) / m), stiffness(m / (length * length)), gravity(g), weight(m * g) {}

  template <class State>
  void operator()(const State& y, State& rate, double /*t*/) const {
    const X speed2 = (y[3] * y[3] + y[4] * y[4] + y[5] * y[5]) * (inverse_mass * inverse_mass);
    const X pull = stiffness * (speed2 + gravity * y[2]);
    rate[0] = y[3] * inverse_mass;
    rate[1] = y[4] * inverse_mass;
    rate[2] = y[5] * inverse_mass;
    rate[3] = -pull * y[0];
    rate[4] = -pull * y[1];
    rate[5] = weight - pull * y[2];
  }
};

}  // namespace kalaba::peers
