#include <algorithm>
#include <cmath>

#include "kalaba/error.hpp"
#include "kalaba/make_swarm_law.hpp"
#include "kalaba/swarm/morse_law.hpp"
#include "kalaba/swarm/paper_law.hpp"
#include "swarm/agent_holds.hpp"
#include "swarm/swarm_runner.hpp"

namespace kalaba {
namespace {

constexpr const char* axes[] = {"x", "y", "z"};

std::vector<Variable> along_axes(int dimension, const std::string& before, const std::string& after,
                                 const std::string& unit, const std::string& meaning = "") {
  std::vector<Variable> variables;
  for (int d = 0; d < dimension; ++d) variables.push_back({before + axes[d] + after, unit, 0, meaning});
  return variables;
}

std::vector<Variable> parameters_of(const SwarmLaw& law, long agents) {
  std::vector<Variable> parameters = {{"m", "kg", 2.0, "mass of an agent"}};
  parameters.insert(parameters.end(), law.parameters.begin(), law.parameters.end());
  parameters.push_back({"kappa", "1/s", 0.0, "feedback on beta"});
  parameters.push_back({"strength", "1/s", 1.0, "of the whole law"});
  parameters.push_back({"active", "1", static_cast<double>(agents), "agents that take part: the first so many"});
  parameters.push_back({"collision_distance", "m", 1e-3, "pairs that are closer collide"});
  parameters.push_back({"settled", "m/s", 1e-2, "|beta| below which the swarm has settled"});
  return parameters;
}

std::vector<Variable> observables_of(int dimension) {
  std::vector<Variable> list = {{"beta_norm", "m/s", 0, "|beta| over all agents"}};
  for (const Variable& each : along_axes(dimension, "center_", "", "m", "mean position")) list.push_back(each);
  list.push_back({"radius", "m", 0, "root mean square distance from the centre"});
  list.push_back({"extent", "m", 0, "greatest distance from the centre"});
  list.push_back({"polarisation", "1", 0, "|mean of the headings|: 1 where all move in one direction"});
  list.push_back({"nearest", "m", 0, "least distance of a pair"});
  list.push_back({"nearest_mean", "m", 0, "mean over the agents of the distance to the nearest other"});
  list.push_back({"collisions", "1", 0, "pairs closer than collision_distance"});
  list.push_back({"settled_time", "s", 0, "first step with |beta| < settled; NaN until then"});
  return list;
}

std::string words_of(const AgentConstraint& constraint) {
  const std::string count = std::to_string(constraint.agents.size());
  return (constraint.agents.size() == 1 ? "1 agent" : count + " agents") + " held on a " + constraint.name +
         ": phi(t, q) = 0, and w as near to -strength grad G as it allows";
}

/// A law with a cutoff has its own scales; the paper's attraction contracts a swarm at a rate of `agents`.
TimeGrid time_of(const SwarmLaw& law, long agents) {
  std::vector<double> p;
  for (const Variable& parameter : law.parameters) p.push_back(parameter.value);
  if (law.plane->harmonic(p.data()) == 0) return {.end = 1, .dt = 1e-2, .save_every = 10};
  const auto rate = static_cast<double>(std::max(agents, 10L));
  return {.end = 10 / rate, .dt = 1 / (5 * rate), .save_every = 5};
}

}  // namespace

const std::vector<SwarmLaw>& swarm_laws() {
  static const std::vector<SwarmLaw> laws = {
      swarm_law<PaperLaw>({"#include \"kalaba/swarm/paper_law.hpp\"\n", "kalaba::PaperLaw"}),
      swarm_law<MorseLaw>({"#include \"kalaba/swarm/morse_law.hpp\"\n", "kalaba::MorseLaw"})};
  return laws;
}

System make_swarm(const SwarmLaw& law, long agents, int dimension) { return make_swarm(law, agents, dimension, {}); }

const System& default_swarm() {
  static const System swarm = make_swarm(swarm_laws().front(), 5);
  return swarm;
}

System make_swarm(const SwarmLaw& law, long agents, int dimension, std::vector<AgentConstraint> constraints) {
  if (agents < 1 || agents > most_agents) {
    throw Error(ExitCode::bad_input,
                "swarm: expected 1 to " + std::to_string(most_agents) + " agents, found " + std::to_string(agents));
  }
  if (dimension != 2 && dimension != 3) {
    throw Error(ExitCode::bad_input, "swarm: expected 2 or 3 dimensions, found " + std::to_string(dimension));
  }
  swarm::check_constraints(constraints, agents, dimension);
  for (AgentConstraint& each : constraints) std::ranges::sort(each.agents);
  System system;
  SystemInfo& info = system.info;
  info.name = "swarm";
  info.summary = "agents held to a flocking law: " + law.summary;
  info.source = "Zhao, Chen, Zhao, Dong 2018, section 8.2";
  info.equations = "beta_i = q_i' + strength sum_j (q_i - q_j) G'(r_ij) / r_ij = 0\n" + law.equations +
                   "\nA = I, b = -d(beta - q')/dt - kappa beta";
  for (const AgentConstraint& each : constraints) info.equations += "\n" + words_of(each);
  info.structure = {{"agents", static_cast<int>(agents)}, {"dimension", dimension}};
  info.structure_words = {{"law", law.name}};
  info.agents = agents;
  info.parameters = parameters_of(law, agents);
  info.coordinates = along_axes(dimension, "", "", "m");
  info.rates = along_axes(dimension, "", "_dot", "m/s");
  info.constraints = along_axes(dimension, "beta_", "", "m/s");
  info.invariants = observables_of(dimension);
  info.invariance.assign(info.invariants.size(), Invariance::free);
  info.time = time_of(law, agents);
  info.stabilization = Stabilization::none();
  if (constraints.empty()) system.device_code = law.device_code;
  const double radius = swarm_radius(system);
  system.default_start = [agents, dimension, radius](const double*, double* q, double* w) {
    place_on_spiral(agents, dimension, radius, q);
    std::fill_n(w, agents * dimension, 0.0);
  };
  if (dimension == 2) {
    system.cpu = [info, kernel = law.plane, constraints](const Options& options) {
      return swarm::make_runner<2>(kernel, info, constraints, options);
    };
  } else {
    system.cpu = [info, kernel = law.space, constraints](const Options& options) {
      return swarm::make_runner<3>(kernel, info, constraints, options);
    };
  }
  return system;
}

}  // namespace kalaba
