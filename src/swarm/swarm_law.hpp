#pragma once

#include <array>
#include <string>

#include "kalaba/swarm.hpp"

namespace kalaba::swarm {

/// Indices of a swarm's parameters: the mass, the parameters of the law, and these.
struct ParameterPlaces {
  int law = 1;
  int kappa, strength, active, collision_distance, settled;

  explicit ParameterPlaces(int law_parameters)
      : kappa(1 + law_parameters),
        strength(kappa + 1),
        active(kappa + 2),
        collision_distance(kappa + 3),
        settled(kappa + 4) {}
};

/// The observables of a swarm in D dimensions, in the order of their field.
template <int D>
struct Observables {
  double beta_norm = 0;
  std::array<double, D> centre = {};
  double radius = 0;
  double extent = 0;
  double polarisation = 0;
  double nearest = 0;
  double nearest_mean = 0;
  double collisions = 0;
  double settled_time = 0;
};

}  // namespace kalaba::swarm
