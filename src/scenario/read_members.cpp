#include "scenario/read_members.hpp"

#include <fmt/format.h>

#include <string>

#include "scenario/limits.hpp"
#include "scenario/random.hpp"

namespace kalaba {
namespace {

using Role = SampledVariable::Role;

/// What the number of members must agree with: the keys that fix it, where they were written.
struct Constraints {
  std::optional<Node> axis;
  std::optional<Node> file;
  long rows = 0;
  std::optional<Node> members;
};

void note(const Node& node, const Distribution& distribution, Constraints& constraints) {
  if (distribution.is_axis()) constraints.axis = node;
  if (distribution.kind != Distribution::Kind::file) return;
  const long rows = static_cast<long>(distribution.values.size());
  if (constraints.file && constraints.rows != rows) {
    node.fail(fmt::format("expected {} rows, as the file of {} has, found {}", constraints.rows,
                          constraints.file->key(), rows));
  }
  constraints.file = node;
  constraints.rows = rows;
}

void read_role(Document& document, const std::vector<Variable>& variables, Role role, Members& members,
               Constraints& constraints) {
  const std::string table = role == Role::parameter ? "parameters." : "initial.";
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string key = table + variables[i].name;
    const auto node = document.find(key);
    if (!node && role != Role::parameter) continue;
    SampledVariable variable{.role = role, .index = static_cast<int>(i), .stream = stream_of(key)};
    variable.distribution.first = variables[i].value;
    if (node) {
      variable.distribution = read_distribution(*node, variables[i].name);
      note(*node, variable.distribution, constraints);
    }
    members.variables.push_back(std::move(variable));
  }
}

long count_members(const Constraints& given, long grid) {
  if (grid == 0) given.axis.value().fail(fmt::format("the grid has more than {} members", most_members));
  const long count = given.members ? given.members->integer(1, most_members) : given.file ? given.rows : grid;
  if (given.file && count != given.rows) {
    given.members.value().fail(
        fmt::format("expected {}, the rows of the file of {}, found {}", given.rows, given.file->key(), count));
  }
  if (count % grid != 0) {
    const Node& culprit = given.members ? *given.members : given.file.value();
    culprit.fail(fmt::format("expected a whole multiple of the {} points of the grid ({} is an axis), found {} members",
                             grid, given.axis.value().key(), count));
  }
  return count;
}

}  // namespace

Members read_members(Document& document, const SystemInfo& system) {
  Members members;
  Constraints constraints;
  constraints.members = document.find("ensemble.members");
  read_role(document, system.parameters, Role::parameter, members, constraints);
  if (system.agents == 0) {
    read_role(document, system.coordinates, Role::coordinate, members, constraints);
    read_role(document, system.rates, Role::rate, members, constraints);
  }
  members.count = count_members(constraints, span_grid(members.variables));
  return members;
}

}  // namespace kalaba
