#include "scenario/read_swarm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenario/document/toml_text.hpp"
#include "scenario/sampling/random.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr const char* kind_names[] = {"spiral", "disk", "grid", "normal"};

const SwarmLaw& read_law(const std::optional<Node>& node) {
  if (!node) return swarm_laws().front();
  return swarm_laws()[node->choice(names_of(swarm_laws()))];
}

Placement read_placement(const Node& node) {
  const std::string form = "{ spiral = radius }, { disk = radius }, { grid = spacing } or { normal = sd }";
  if (!node.is_table() || node.entries().size() != 1) node.expected(form);
  const Node entry = node.entries().front();
  const std::vector<std::string> names(std::begin(kind_names), std::end(kind_names));
  const auto found = std::find(names.begin(), names.end(), entry.name());
  if (found == names.end()) entry.fail("unknown key" + suggestion(entry.name(), names));
  Placement placement{static_cast<Placement::Kind>(found - names.begin()), entry.number()};
  if (placement.size <= 0) entry.expected("a positive number of metres");
  return placement;
}

/// Fails for grids: values of agents are numbers per agent, or one for all agents.
void check_agents(const Node& node, const Distribution& distribution, long agents) {
  const bool listed = distribution.kind == Distribution::Kind::values || distribution.kind == Distribution::Kind::file;
  const long count = distribution.kind == Distribution::Kind::linspace ? distribution.count
                     : listed                                          ? static_cast<long>(distribution.values.size())
                                                                       : agents;
  if (count == agents) return;
  node.fail(fmt::format("expected a number for each of the {} agents, found {}", agents, count));
}

void read_role(Document& document, const std::vector<Variable>& variables, SampledVariable::Role role, long agents,
               AgentStart& start) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string key = "initial." + variables[i].name;
    const auto node = document.find(key);
    if (!node) continue;
    SampledVariable variable{.role = role, .index = static_cast<int>(i), .stream = stream_of(key)};
    variable.distribution = read_distribution(*node, variables[i].name, document.arrays());
    if (variable.distribution.kind == Distribution::Kind::formula) node->expected("a number or a table");
    check_agents(*node, variable.distribution, agents);
    start.variables.push_back(std::move(variable));
  }
}

}  // namespace

NamedSystem read_swarm(Document& document) {
  const auto agents = document.find("structure.agents");
  const auto dimension = document.find("structure.dimension");
  const SwarmLaw& law = read_law(document.find("structure.law"));
  const SystemInfo& usual = default_swarm().info;
  const long count = agents ? agents->integer(1, most_agents) : usual.agents;
  const int axes = dimension ? static_cast<int>(dimension->integer(2, 3)) : usual.structure.at("dimension");
  HeldAgentTables held = read_agents(document, count, axes);
  auto system = std::make_shared<System>(make_swarm(law, count, axes, std::move(held.constraints)));
  return {std::move(system), std::move(held)};
}

std::string Placement::to_toml() const {
  return fmt::format("{{ {} = {} }}", kind_names[static_cast<int>(kind)], toml_number(size));
}

AgentStart read_agent_start(Document& document, const System& system, std::string held) {
  AgentStart start;
  const SystemInfo& info = system.info;
  start.held = std::move(held);
  start.placement.size = swarm_radius(system);
  if (const auto node = document.find("initial.agents")) start.placement = read_placement(*node);
  read_role(document, info.coordinates, SampledVariable::Role::coordinate, info.agents, start);
  read_role(document, info.rates, SampledVariable::Role::rate, info.agents, start);
  return start;
}

}  // namespace kalaba
