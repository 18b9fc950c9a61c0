#include "scenario/read_members.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "kalaba/swarm_limits.hpp"
#include "scenario/document/document.hpp"
#include "scenario/member_formulas.hpp"
#include "scenario/sampling/random.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

using Role = SampledVariable::Role;

/// Keys that fix the number of members, and their places; ensemble.members must agree with them.
struct Constraints {
  std::optional<Node> axis;
  std::optional<Node> file;
  long rows = 0;
  int dimensions = 0;  // drawn variables
  std::optional<Node> members;
  std::optional<Node> design;
  std::optional<Node> drawn;  // the last one
  std::vector<StatedFormula> formulas;
};

/// Axis of the grid, before the axes are sorted.
struct Axis {
  std::size_t place;  // index in the members' variables
  std::string name;
  std::tuple<std::size_t, long, long> written;
};

std::string table_of(Role role) { return role == Role::parameter ? "parameters." : "initial."; }

void note(const Node& node, const Distribution& distribution, Constraints& constraints) {
  if (distribution.is_axis()) constraints.axis = node;
  if (distribution.is_drawn()) constraints.drawn = node;
  if (distribution.kind != Distribution::Kind::file) return;
  const long rows = static_cast<long>(distribution.values.size());
  if (constraints.file && constraints.rows != rows) {
    node.fail(fmt::format("expected {} rows, as {} has, found {}", constraints.rows, constraints.file->key(), rows));
  }
  constraints.file = node;
  constraints.rows = rows;
}

const CorrelatedNormal* find_correlated(const std::vector<CorrelatedNormal>& all, const std::string& key) {
  const auto found = std::ranges::find_if(
      all, [&](const CorrelatedNormal& normal) { return std::ranges::count(normal.variables, key) > 0; });
  return found == all.end() ? nullptr : &*found;
}

void read_role(Document& document, const std::vector<Variable>& variables, Role role, int first_discrete,
               Members& members, Constraints& constraints, std::vector<Axis>& axes) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string key = table_of(role) + variables[i].name;
    const bool is_discrete = role == Role::parameter && static_cast<int>(i) >= first_discrete;
    const auto node = is_discrete ? document.written(key) : document.find(key);
    if (node && is_discrete) {
      node->fail(
          fmt::format("{} is a discrete variable, whose start is stated under [model.discrete]", variables[i].name));
    }
    const CorrelatedNormal* const together = find_correlated(members.correlated, key);
    if (!node && together == nullptr && role != Role::parameter) continue;
    SampledVariable variable{.role = role, .index = static_cast<int>(i), .stream = stream_of(key)};
    variable.distribution.first = variable.at_rest = variables[i].value;
    if (together != nullptr) {
      if (node) node->fail(fmt::format("expected it either here or in {}, found both", together->node.key()));
      variable.distribution.kind = Distribution::Kind::correlated;
      note(together->node, variable.distribution, constraints);
      variable.dimension = constraints.dimensions++;
    } else if (node) {
      variable.distribution = read_distribution(*node, variables[i].name, document.arrays());
      note(*node, variable.distribution, constraints);
      if (variable.distribution.kind == Distribution::Kind::formula) {
        constraints.formulas.emplace_back(members.variables.size(), *node);
      }
      if (variable.distribution.is_drawn()) variable.dimension = constraints.dimensions++;
      if (variable.distribution.is_axis()) axes.push_back({members.variables.size(), key, document.order_of(*node)});
    }
    members.variables.push_back(std::move(variable));
  }
}

/// Stores the mean of every variable of a correlated normal, and its row of the factor.
void connect(const CorrelatedNormal& normal, std::vector<SampledVariable>& variables) {
  std::vector<SampledVariable*> members;
  for (const std::string& name : normal.variables) {
    members.push_back(&*std::ranges::find(variables, stream_of(name), &SampledVariable::stream));
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i]->distribution.first = normal.mean[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const double weight = normal.factor[i * members.size() + j];
      if (weight != 0) members[i]->terms.push_back({weight, members[j]->stream, members[j]->dimension});
    }
  }
}

/// Variables that a scenario can vary over the members: "parameters.L", "initial.x", ...
std::vector<std::string> member_variables(const SystemInfo& system) {
  std::vector<std::string> names;
  for (int i = 0; i < system.first_discrete(); ++i) {
    names.push_back(table_of(Role::parameter) + system.parameters[static_cast<std::size_t>(i)].name);
  }
  if (system.agents > 0) return names;
  for (const auto* variables : {&system.coordinates, &system.rates}) {
    for (const Variable& variable : *variables) names.push_back(table_of(Role::coordinate) + variable.name);
  }
  return names;
}

SamplingDesign read_design(const Node& node) {
  std::vector<std::string> names;
  for (const SamplingDesign design : all_designs) names.emplace_back(design_name(design));
  return all_designs[node.choice(names)];
}

/// Fails for kinds of distributions that a design does not support.
void check_design(SamplingDesign design, const Constraints& given) {
  if (design == SamplingDesign::independent) return;
  const Node& key = given.design.value();
  const bool one_at_a_time = design == SamplingDesign::one_at_a_time;
  if (one_at_a_time && given.drawn) {
    given.drawn->fail("expected a number, linspace or values, which the design one_at_a_time varies one at a time");
  }
  if (one_at_a_time && !given.axis) key.fail("expected a linspace or values to vary one at a time, found none");
  if (!one_at_a_time && !given.drawn) {
    key.fail(fmt::format(
        "expected a variable that is drawn, such as {{ uniform = [0.5, 2] }}, for the design {}; found none",
        design_name(design)));
  }
}

void check_sobol(const Constraints& given, long members) {
  if (given.dimensions > most_sobol_variables || members > most_sobol_members) {
    given.design.value().fail(
        fmt::format("expected at most {} drawn variables and {} members for the design sobol, found {} and {}",
                    most_sobol_variables, most_sobol_members, given.dimensions, members));
  }
}

/// Checks the design saltelli: every variable is drawn independently, and no other variable varies, except formulas.
void check_saltelli(const Constraints& given, const Members& members) {
  const std::string requested =
      "expected a number or a variable that is drawn on its own, as the design saltelli varies";
  if (!members.correlated.empty()) members.correlated.front().node.fail(requested + "; found a correlated normal");
  if (given.axis) given.axis->fail(requested + "; found an axis of a grid");
  if (given.file) given.file->fail(requested + "; found a number for every member");
  const Node& key = given.design.value();
  constexpr int most = most_sobol_variables / 2;
  if (given.dimensions < 2 || given.dimensions > most) {
    key.fail(fmt::format("expected 2 to {} drawn variables for the design saltelli, found {}", most, given.dimensions));
  }
  const long together = saltelli_members(given.dimensions);
  const std::string multiple =
      fmt::format("a whole multiple of {}, two and one for each of the {} drawn variables, for the design saltelli",
                  together, given.dimensions);
  if (!given.members) key.fail(fmt::format("expected ensemble.members to be {}; found none", multiple));
  const long count = given.members->integer(1, most_members);
  if (count % together != 0) {
    const long below = count / together * together;
    const std::string near = fmt::format("{}{}", below > 0 ? fmt::format("{} or ", below) : "", below + together);
    given.members->fail(fmt::format("expected {}, such as {}; found {}", multiple, near, count));
  }
  if (count / together > most_sobol_members) {
    given.members->fail(fmt::format("expected at most {} points of {} members for the design saltelli, found {}",
                                    most_sobol_members, together, count / together));
  }
}

long count_lined_up(const Constraints& given, long lined_up) {
  const Node* fixed = given.members ? &*given.members : given.file ? &*given.file : nullptr;
  const long count = given.members ? given.members->integer(1, most_members) : given.file ? given.rows : lined_up;
  if (count != lined_up) {
    fixed->fail(
        fmt::format("expected {} members, one and the points of every axis, for the design one_at_a_time; found {}",
                    lined_up, count));
  }
  return count;
}

long count_members(const Constraints& given, SamplingDesign design, long grid) {
  if (grid == 0) given.axis.value().fail(fmt::format("the grid has more than {} members", most_members));
  if (design == SamplingDesign::one_at_a_time) return count_lined_up(given, grid);
  const long count = given.members ? given.members->integer(1, most_members) : given.file ? given.rows : grid;
  if (given.file && count != given.rows) {
    given.members.value().fail(
        fmt::format("expected {}, the rows of {}, found {}", given.rows, given.file->key(), count));
  }
  if (count % grid != 0) {
    const Node& culprit = given.members ? *given.members : given.file.value();
    culprit.fail(fmt::format("expected a whole multiple of the {} points of the grid ({} is an axis), found {} members",
                             grid, given.axis.value().key(), count));
  }
  return count;
}

/// Reads ensemble.grid: the names of all axes, in their order.
void read_grid(const Node& node, std::vector<Axis>& axes) {
  const std::vector<std::string> names = node.texts();
  const std::vector<std::string> known = names_of(axes);
  const auto place_of = [&](const std::string& name) { return std::ranges::find(names, name) - names.begin(); };
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) == 0) {
      node.fail(fmt::format("expected the variables that have linspace or values ({}), found \"{}\"{}",
                            fmt::join(known, ", "), name, suggestion(name, known)));
    }
    if (std::ranges::count(names, name) > 1) node.fail(fmt::format("\"{}\" is named twice", name));
  }
  for (const std::string& name : known) {
    if (std::ranges::count(names, name) == 0) {
      node.fail(fmt::format("expected every variable that has linspace or values, {} is missing", name));
    }
  }
  std::ranges::sort(axes, {}, [&](const Axis& axis) { return place_of(axis.name); });
}

/// Indices of the axes in the members' variables, in the order of the grid: that of ensemble.grid if present, else the
/// order in the text.
std::vector<std::size_t> order_axes(Document& document, std::vector<Axis> axes, Members& members) {
  if (const auto node = document.find("ensemble.grid")) {
    read_grid(*node, axes);
  } else {
    std::ranges::stable_sort(axes, {}, &Axis::written);
  }
  std::vector<std::size_t> places;
  for (const Axis& axis : axes) {
    places.push_back(axis.place);
    members.grid.push_back(axis.name);
  }
  return places;
}

}  // namespace

Members read_members(Document& document, const System& whole) {
  const SystemInfo& system = whole.info;
  Members members;
  Constraints constraints;
  constraints.members = document.find("ensemble.members");
  members.correlated = read_correlated(document, member_variables(system));
  if (system.first_discrete() == 0) {
    if (const auto table = document.find("parameters"); table && table->is_table() && !table->entries().empty()) {
      table->fail(
          "the model has no parameters; state one under [model.parameters] and use its name in place of a number");
    }
  }
  std::vector<Axis> axes;
  read_role(document, system.parameters, Role::parameter, system.first_discrete(), members, constraints, axes);
  if (system.agents == 0) {
    read_role(document, system.coordinates, Role::coordinate, 0, members, constraints, axes);
    read_role(document, system.rates, Role::rate, 0, members, constraints, axes);
  }
  if (!constraints.formulas.empty()) {
    if (const char* why = swarm_lacks(system, NotOfSwarms::expressions))
      constraints.formulas.front().second.expected(why);
  }
  compile_formulas(whole, constraints.formulas, members.variables);
  for (const CorrelatedNormal& normal : members.correlated) connect(normal, members.variables);
  constraints.design = document.find("ensemble.design");
  if (constraints.design) members.design = read_design(*constraints.design);
  const bool one_at_a_time = members.design == SamplingDesign::one_at_a_time;
  check_design(members.design, constraints);
  if (members.design == SamplingDesign::saltelli) check_saltelli(constraints, members);
  const std::vector<std::size_t> order = order_axes(document, std::move(axes), members);
  const long grid = one_at_a_time ? line_up(members.variables, order) : span_grid(members.variables, order);
  members.count = count_members(constraints, members.design, grid);
  members.drawn = constraints.dimensions;
  if (members.design == SamplingDesign::sobol) check_sobol(constraints, members.count);
  return members;
}

}  // namespace kalaba
