#include "bench/operations.hpp"

#include "bench/count_step.hpp"

namespace kalaba::bench {

std::optional<Operations> operations_of_step(const System& system, const Method& method) {
  const SystemInfo& info = system.info;
  if (info.name == "spherical_pendulum") return count_spherical_pendulum(method);
  if (info.name == "two_particles_incline") return count_two_particles(method);
  if (info.name == "constrained_double_pendulum") return count_double_pendulum(method);
  if (info.name == "chain") return count_chain(info.structure.at("links"), method);
  return std::nullopt;
}

}  // namespace kalaba::bench
