#include "scenario/read_agents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "kalaba/swarm/agent_laws.hpp"
#include "scenario/agent_path.hpp"
#include "scenario/agent_table.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

/// Two orthogonal unit vectors of the plane perpendicular to `normal`, the first as close to the x axis as possible.
std::array<Vec<double, 3>, 2> spanning(const Vec<double, 3>& normal) {
  const int axis = std::abs(normal[0]) < 0.9 ? 0 : 1;
  Vec<double, 3> first = {};
  for (int d = 0; d < 3; ++d) first[d] = (d == axis ? 1 : 0) - normal[axis] * normal[d];
  const double length = std::sqrt(dot(first, first));
  for (int d = 0; d < 3; ++d) first[d] /= length;
  const Vec<double, 3> second = {normal[1] * first[2] - normal[2] * first[1],
                                 normal[2] * first[0] - normal[0] * first[2],
                                 normal[0] * first[1] - normal[1] * first[0]};
  return {first, second};
}

template <int D>
void read_circle(AgentTable& table, HeldAgentTables& into) {
  const Vec<double, D> centre = table.vector<D>("centre", {});
  const double radius = table.number("radius");
  if (radius <= 0) table.node("radius").expected("a positive number of metres");
  Vec<double, 3> normal = {0, 0, 1};
  if constexpr (D == 3) normal = table.direction<3>("normal", normal);
  if (!table.has("angular_speed")) {
    if (table.has("phase")) table.node("phase").fail("expected angular_speed beside it: the circle that turns");
    into.constraints.push_back(hold_agents<D>(table.agents(), OnCircle<D>{centre, radius, normal}));
    return;
  }
  OnTurningCircle<D> law{centre, radius, table.number("angular_speed")};
  const double phase = table.has("phase") ? table.number("phase") : 0;
  const auto [first, second] = spanning(normal);
  for (int d = 0; d < D; ++d) {
    law.first[d] = first[d];
    law.second[d] = second[d];
  }
  const auto count = static_cast<double>(table.agents().size());
  for (std::size_t k = 0; k < table.agents().size(); ++k) {  // evenly around it
    law.phase = phase + 2 * std::numbers::pi * static_cast<double>(k) / count;
    into.constraints.push_back(hold_agents<D>({table.agents()[k]}, law));
  }
}

template <int D>
void read_line(AgentTable& table, HeldAgentTables& into) {
  if (!table.has("direction")) table.missing("direction", "the line's, an array of numbers");
  into.constraints.push_back(
      hold_agents<D>(table.agents(), OnLine<D>{table.vector<D>("point", {}), table.direction<D>("direction", {})}));
}

template <int D>
void read_path(AgentTable& table, HeldAgentTables& into) {
  if (!table.has("path")) table.missing("path", "rows [t, x, y] (z in space), or a CSV file of these columns");
  if (table.agents().size() > 1) {
    table.node("which").fail(
        fmt::format("expected one agent, for two on one path are at one place; found {}", table.agents().size()));
  }
  const AgentPath path = read_agent_path(table.node("path"), D);
  table.shows("path", path.to_toml());
  into.paths.push_back({table.node("path"), path.times.front(), path.times.back()});
  std::vector<Vec<double, D>> points;
  for (const std::vector<double>& row : path.points) {
    std::copy_n(row.begin(), D, points.emplace_back().data);
  }
  into.constraints.push_back(hold_agents<D>(table.agents(), OnPath<D>(path.times, points)));
}

struct Kind {
  const char* name;
  std::vector<std::string> keys;
  void (*plane)(AgentTable&, HeldAgentTables&);
  void (*space)(AgentTable&, HeldAgentTables&);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"circle", {"centre", "radius", "normal", "angular_speed", "phase"}, read_circle<2>, read_circle<3>},
      {"line", {"point", "direction"}, read_line<2>, read_line<3>},
      {"path", {"path"}, read_path<2>, read_path<3>}};
  return all;
}

const Kind& kind_of(const AgentTable& table) {
  if (!table.has("constraint")) table.missing("constraint", "circle, line or path");
  return kinds()[table.node("constraint").choice(names_of(kinds()))];
}

}  // namespace

HeldAgentTables read_agents(Document& document, long agents, int dimension) {
  HeldAgentTables held;
  const auto node = document.find("agents");
  if (!node) return held;
  std::set<long> named;
  for (const Node& entry : node->items("an array of tables, [[agents]]")) {
    AgentTable table(entry, agents, dimension);
    for (const long agent : table.agents()) {
      if (!named.insert(agent).second) table.node("which").fail(fmt::format("agent {} is held already", agent));
    }
    const Kind& kind = kind_of(table);
    std::vector<std::string> keys = kind.keys;
    if (dimension == 2) std::erase(keys, "normal");
    table.refuse_other_keys(keys, fmt::format("a {} in {}", kind.name, dimension == 2 ? "the plane" : "space"));
    (dimension == 2 ? kind.plane : kind.space)(table, held);
    held.toml += table.to_toml();
  }
  return held;
}

void check_paths(const HeldAgentTables& held, const TimeGrid& time) {
  for (const auto& [node, first, last] : held.paths) {
    if (first <= time.start && time.end <= last) continue;
    node.fail(fmt::format("expected a path from {} to {} s, as the run lasts; found one from {} to {}", time.start,
                          time.end, first, last));
  }
}

}  // namespace kalaba
