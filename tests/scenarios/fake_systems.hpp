#pragma once

#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba {

/// Pendulum whose default start depends on its length and mass.
inline System fake_pendulum() {
  System system;
  system.info.name = "pendulum";
  system.info.summary = "bob on a rod";
  system.info.source = "a test";
  system.info.equations = "first line\nsecond line";
  system.info.parameters = {
      {"m", "kg", 1.0, "mass of the bob"}, {"L", "m", 1.0, "length of the rod"}, {"g", "m/s^2", 9.81, "gravity"}};
  system.info.coordinates = {{"x", "m", 0.8, ""}, {"z", "m", 0.6, "down"}};
  system.info.rates = {{"p_x", "kg m/s", 0.7, ""}, {"p_z", "kg m/s", 0, ""}};
  system.info.constraints = {{"rod", "m^2", 0, ""}};
  system.info.holonomic = 1;
  system.info.has_energy = true;
  system.info.time = {.start = 0, .end = 5, .dt = 1e-3, .save_every = 50};
  system.info.stabilization = Stabilization::projection();
  system.default_start = [](const double* p, double* q, double* w) {
    q[0] = 0.8 * p[1];
    q[1] = 0.6 * p[1];
    w[0] = 0.7 * p[0];
    w[1] = 0;
  };
  return system;
}

/// Agents on a line, without energy, and with stabilization gains of their own.
inline System fake_swarm(int agents) {
  System system;
  system.info.name = "swarm";
  system.info.summary = "agents on a line";
  system.info.structure = {{"agents", agents}};
  system.info.parameters = {{"kappa", "1/s", 0.0, "feedback"}};
  for (int i = 1; i <= agents; ++i) {
    system.info.coordinates.push_back({"x" + std::to_string(i), "m", 0, ""});
    system.info.rates.push_back({"x" + std::to_string(i) + "_dot", "m/s", 0, ""});
  }
  system.info.time = {.start = 0, .end = 1, .dt = 0.1, .save_every = 1};
  system.info.stabilization = Stabilization::baumgarte(3, 1.7);
  system.default_start = [](const double*, double* q, double* w) { q[0] = w[0] = 0; };
  return system;
}

inline std::vector<System> fake_systems() { return {fake_pendulum(), fake_swarm(5), fake_swarm(2), fake_swarm(3)}; }

}  // namespace kalaba
