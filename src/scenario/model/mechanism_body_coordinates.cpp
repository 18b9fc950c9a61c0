// Coordinates of bodies in place of those of joints.

#include "scenario/model/mechanism_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/mechanics/defaults.hpp"
#include "scenario/model/declarations.hpp"

namespace kalaba::text_model {

using formula::Id;
using formula::Unit;
using mechanism::Joint;
using mechanism::JointType;
using mechanism::Kind;
using mechanism::Vector;

std::optional<Vector> MechanismText::plane_normal() const {
  using Numbers = std::optional<std::vector<double>>;
  const auto numbers_of = [](const Node& joint, const char* key, std::size_t count) -> Numbers {
    const auto node = entry_of(joint, key);
    if (!node || !node->is_array()) return std::nullopt;
    std::vector<double> numbers;
    for (const Node& each : node->items()) {
      if (!each.is_number()) return std::nullopt;
      numbers.push_back(each.number());
    }
    const double size = std::hypot(numbers.size() > 2 ? std::hypot(numbers[0], numbers[1], numbers[2]) : 0,
                                   numbers.size() > 3 ? numbers[3] : 0);
    if (numbers.size() != count || size == 0) return std::nullopt;
    for (double& each : numbers) each /= size;
    return numbers;
  };
  constexpr double rounding = 1e-12;
  const auto is_parallel = [](const double* a, const double* b) {
    return std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) <= rounding;
  };
  std::optional<std::vector<double>> normal;
  for (int i = 0; i < stated_ && !normal; ++i) {
    const JointType type = mechanism_.joints[static_cast<std::size_t>(i)].type;
    if (type == JointType::hinge || type == JointType::planar)
      normal = numbers_of(joints_[static_cast<std::size_t>(i)], "axis", 3);
  }
  if (!normal) return std::nullopt;
  std::vector<double>& n = *normal;
  for (int i = 0; i < stated_; ++i) {
    const Node& node = joints_[static_cast<std::size_t>(i)];
    if (entry_of(node, "quat")) {
      const Numbers turn = numbers_of(node, "quat", 4);
      if (!turn || !is_parallel(turn->data() + 1, n.data())) return std::nullopt;
    }
    const JointType type = mechanism_.joints[static_cast<std::size_t>(i)].type;
    if (type == JointType::weld || type == JointType::connect || type == JointType::distance) continue;
    const Numbers axis = numbers_of(node, "axis", 3);
    const bool turns = type == JointType::hinge || type == JointType::planar;
    if (!axis || (!turns && type != JointType::slide)) return std::nullopt;
    const double* const a = axis->data();
    const bool fits = turns ? is_parallel(a, n.data()) : std::abs(a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) <= rounding;
    if (!fits) return std::nullopt;
  }
  // The sign for which the coordinates of the plane are x and y, y and z, or x and z.
  for (const double sign : {1.0, -1.0}) {
    const Vector along = algebra_.vector(sign * n[0], sign * n[1], sign * n[2]);
    const Vector second = algebra_.perpendicular(along)[1];
    double largest = 0;
    for (const Id each : second) {
      const double value = draft_.graph.constant(each).value_or(0);
      if (std::abs(value) > std::abs(largest)) largest = value;
    }
    if (largest > 0) return along;
  }
  return std::nullopt;
}

void MechanismText::use_body_coordinates() {
  normal_ = plane_normal();
  mechanism::add_body_joints(mechanism_, joint_tree_, normal_, algebra_);
  for (std::size_t j = static_cast<std::size_t>(stated_); j < mechanism_.joints.size(); ++j) {
    joints_.push_back(bodies_[static_cast<std::size_t>(mechanism_.joints[j].child)]);
  }
  tree_ = placed([&] { return mechanism::make_body_tree(mechanism_, joint_tree_, stated_); });
  start_tree_ = joint_tree_;
  const auto nq = static_cast<int>(tree_.coordinates.size());
  const auto nw = static_cast<int>(tree_.rates.size());
  for (mechanism::Link& link : start_tree_.links) {
    link.coordinate += nq;
    link.rate += nw + nq;  // behind the velocities of coordinates
  }
}

void MechanismText::place_planes() {
  if (!normal_) return;
  std::map<Id, Id> at_zero;
  for (const mechanism::Link& link : start_tree_.links) {
    if (link.motion != mechanism::Link::Motion::weld)
      at_zero[draft_.graph.symbol(formula::Op::coordinate, link.coordinate)] = algebra_.number(0);
  }
  for (std::size_t j = static_cast<std::size_t>(stated_); j < mechanism_.joints.size(); ++j) {
    Joint& joint = mechanism_.joints[j];
    const Id height = algebra_.dot(*normal_, start_kinematics_->position(joint.child, algebra_.zero()));
    joint.at = algebra_.scale(formula::substitute(draft_.graph, height, at_zero), *normal_);
  }
}

void MechanismText::name_joint_coordinates() {
  for (int j = 0; j < stated_; ++j) {
    std::vector<std::size_t> freedoms;
    for (std::size_t i = 0; i < joint_tree_.coordinates.size(); ++i) {
      if (joint_tree_.coordinates[i].joint == j) freedoms.push_back(i);
    }
    auto next = freedoms.begin();
    for (const mechanism::JointCoordinate& each : joint_coordinates_) {
      if (each.joint != j || !each.value) continue;
      const mechanism::Freedom& freedom = joint_tree_.coordinates[*next++];
      const Unit unit = freedom.kind == Kind::length ? length_ : Unit();
      for (const bool is_rate : {false, true}) {
        const std::string name = freedom.name + (is_rate ? "_dot" : "");
        if (draft_.names.find(name) != nullptr)
          joints_[static_cast<std::size_t>(j)].fail(
              fmt::format("its {} would be called {}, and that is the name of something else",
                          is_rate ? "rate" : "coordinate", name));
        name_number(name, is_rate ? each.rate : *each.value, is_rate ? unit / draft_.second : unit,
                    fmt::format("{} of the joint {}", is_rate ? "rate" : "coordinate",
                                mechanism_.joints[static_cast<std::size_t>(j)].name));
      }
    }
  }
}

void MechanismText::set_body_starts() {
  formula::Graph& g = draft_.graph;
  const auto nq = static_cast<int>(tree_.coordinates.size());
  const auto nw = static_cast<int>(tree_.rates.size());
  std::map<Id, Id> defaults;
  const auto add = [&](const mechanism::Freedom& freedom, Id symbol, bool is_rate) {
    const Unit unit = freedom.kind == Kind::length ? length_ : Unit();
    draft_.joint_starts.push_back({freedom.name, symbol, freedom.start, is_rate ? unit / draft_.second : unit});
    defaults[symbol] = g.number(freedom.start);
  };
  for (int i = 0; i < static_cast<int>(joint_tree_.coordinates.size()); ++i) {
    add(joint_tree_.coordinates[static_cast<std::size_t>(i)], g.symbol(formula::Op::coordinate, nq + i), false);
  }
  for (int i = 0; i < static_cast<int>(joint_tree_.rates.size()); ++i) {
    add(joint_tree_.rates[static_cast<std::size_t>(i)], g.symbol(formula::Op::rate, nw + nq + i), true);
  }
  const std::vector<mechanism::JointCoordinate> symbols = mechanism::tree_coordinates(*start_kinematics_, start_tree_);
  for (int j = 0; j < stated_; ++j) {
    auto symbol = symbols.begin();
    for (const mechanism::JointCoordinate& each : joint_coordinates_) {
      if (each.joint != j || !each.value) continue;
      symbol = std::find_if(symbol, symbols.end(), [&](const auto& other) { return other.joint == j && other.value; });
      draft_.joint_symbols[*each.value] = *symbol->value;
      draft_.joint_symbols[each.rate] = symbol->rate;
      ++symbol;
    }
  }
  for (JointStart& start : draft_.joint_starts) {
    const auto is_of = [&](const auto& each) { return each.second == start.symbol; };
    const auto found = std::ranges::find_if(draft_.joint_symbols, is_of);
    if (found != draft_.joint_symbols.end()) start.expression = found->first;
  }
  const mechanism::BodyStarts starts =
      mechanism::body_starts(*start_kinematics_, mechanism_, start_tree_, tree_, normal_);
  for (int i = 0; i < nq; ++i) {
    draft_.body_starts[g.symbol(formula::Op::coordinate, i)] = starts.coordinates[static_cast<std::size_t>(i)];
  }
  for (int i = 0; i < nw; ++i) {
    draft_.body_starts[g.symbol(formula::Op::rate, i)] = starts.rates[static_cast<std::size_t>(i)];
  }
  std::vector<Id> of_defaults;
  for (const Id each : starts.coordinates) of_defaults.push_back(formula::substitute(g, each, defaults));
  draft_.coordinate_starts = formula::at_defaults(g, of_defaults, draft_.statement.info);
}

void MechanismText::check_constraints() const {
  if (!has_body_coordinates_ || normal_) return;
  std::vector<Id> angles;
  for (const mechanism::JointCoordinate& each : joint_coordinates_) {
    if (!each.value) continue;
    for (const Id id : formula::reachable(draft_.graph, std::span(&*each.value, 1))) {
      if (draft_.graph[id].op == formula::Op::atan2) angles.push_back(id);
    }
  }
  for (const formula::Equation& row : draft_.statement.holonomic) {
    if (std::ranges::count(draft_.limits, row.name, [](const auto& each) { return each.first; }) > 0) continue;
    const std::vector<Id> needed = formula::reachable(draft_.graph, std::span(&row.value, 1));
    const auto is_angle = [&](Id id) { return std::ranges::count(angles, id) > 0; };
    if (std::ranges::none_of(needed, is_angle)) continue;
    Node node = draft_.model;
    for (const char* name : {"couplings", "holonomic", "unilateral"}) {
      const auto table = draft_.section(name);
      const auto entry = table ? entry_of(*table, row.name) : std::nullopt;
      if (entry) node = *entry;
    }
    node.fail(fmt::format(
        "the constraint {} is of an angle of a joint, of which body coordinates in space do not count whole "
        "turns; use coordinates = \"joint\"",
        row.name));
  }
}

}  // namespace kalaba::text_model
