#include "kalaba/swarm_limits.hpp"

namespace kalaba {

namespace {

constexpr SwarmLimit limits[] = {
    {NotOfSwarms::adaptive_steps, "adaptive integrators", "a swarm goes with integrator = \"rk4\" alone"},
    {NotOfSwarms::events, "events", "events are not watched in a swarm"},
    {NotOfSwarms::sensitivities, "sensitivities", "a swarm has no sensitivities"},
    {NotOfSwarms::start_rules, "project = \"keep_varied\", \"refuse\"", "is not for a swarm"},
    {NotOfSwarms::fits, "fits", "a swarm cannot be fitted"},
    {NotOfSwarms::expressions, "expressions for parameters",
     "a number or a table (a swarm of any number takes no expressions)"},
    {NotOfSwarms::inputs, "inputs of members", "inputs are of members; those of a swarm are of its agents"},
    {NotOfSwarms::terms, "terms", "terms are of systems that the reference has; a swarm of any number has none"},
    {NotOfSwarms::compiling, "compile = \"always\"", "a swarm was compiled with the program, and is not compiled anew"},
};

constexpr bool in_order() {
  int next = 0;
  for (const SwarmLimit& each : limits) {
    if (static_cast<int>(each.what) != next++) return false;
  }
  return next == not_of_swarms_count;
}
static_assert(in_order(), "every NotOfSwarms has its row, at its place");

}  // namespace

std::span<const SwarmLimit> swarm_limits() { return limits; }

const char* swarm_lacks(const SystemInfo& system, NotOfSwarms what) {
  return system.agents > 0 ? limits[static_cast<int>(what)].refusal : nullptr;
}

}  // namespace kalaba
