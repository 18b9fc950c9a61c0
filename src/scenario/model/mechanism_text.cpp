#include "scenario/model/mechanism_text.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <span>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/functions.hpp"
#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/mechanics/defaults.hpp"
#include "mechanism/dynamics.hpp"
#include "mechanism/outline.hpp"
#include "mechanism/reactions.hpp"
#include "mechanism/skeleton.hpp"
#include "scenario/model/contacts.hpp"
#include "scenario/model/declarations.hpp"
#include "scenario/model/joint_limits.hpp"
#include "scenario/model/variables.hpp"
#include "text/nearest.hpp"

namespace kalaba::text_model {

using formula::Id;
using formula::Sort;
using formula::Unit;
using mechanism::Joint;
using mechanism::JointType;
using mechanism::Kind;
using mechanism::Vector;

namespace {

constexpr unsigned constant = formula::on_parameters;
constexpr const char* axis_names[] = {"x", "y", "z"};

/// Calls `work`; reports an error of a mechanism at the node of its body or joint.
template <class Work>
auto placed_at(const std::vector<Node>& bodies, const std::vector<Node>& joints, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const mechanism::MechanismError& error) {
    const bool is_joint = error.part == mechanism::MechanismError::Part::joint;
    (is_joint ? joints : bodies)[static_cast<std::size_t>(error.index)].fail(error.what());
  }
}

/// Number that is negative where `value` is, by more than rounding of the terms from which it is summed.
Id slackened(formula::Graph& g, Id value) {
  Id size = g.number(0);
  for (const Id each : formula::addends(g, value)) size = g.add(size, g.unary(formula::Op::abs, each));
  return g.add(value, g.multiply(g.number(1e-12), size));
}

/// Number with a unit, "0.02 m"; none for a text of another form.
std::optional<std::pair<double, Unit>> amount(const std::string& text) {
  double value = 0;
  const std::size_t begin = std::min(text.find_first_not_of(" \t+"), text.size());
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  const std::string rest(end, text.data() + text.size());
  if (rest.empty() || rest.front() != ' ' || rest.find_first_not_of(' ') == std::string::npos) return std::nullopt;
  try {
    return std::pair(value, formula::parse_unit(rest));
  } catch (const formula::UnitFault&) {
    return std::nullopt;
  }
}

/// Fails for keys of a model that a mechanism determines.
void refuse_determined(const Draft& draft) {
  for (const char* key : {"coordinates", "rates", "momenta", "quasi_velocities", "velocity", "hamiltonian", "mass",
                          "metric", "singular_metric", "energy"}) {
    if (const auto node = draft.section(key)) {
      if (node->is_text() && node->name() == "coordinates") continue;
      node->fail("the bodies and joints of a mechanism determine this; leave it out");
    }
  }
}

bool has_one_coordinate(JointType type) {
  return type == JointType::hinge || type == JointType::slide || type == JointType::screw;
}

void check_table(const Node& node, const std::string& form) {
  if (!node.is_table()) node.expected("a table such as " + form);
}

}  // namespace

const std::vector<std::string>& MechanismText::keys() {
  static const std::vector<std::string> names = {"bodies", "joints", "couplings", "forces",
                                                 "points", "poses",  "gravity"};
  return names;
}

std::unique_ptr<MechanismText> MechanismText::of(Draft& draft) {
  if (draft.section("bodies")) return std::unique_ptr<MechanismText>(new MechanismText(draft));
  for (const std::string& key : keys()) {
    if (const auto node = draft.section(key))
      node->fail("belongs to a mechanism; add [model.bodies] and [model.joints]");
  }
  return nullptr;
}

int MechanismText::body_of(const Node& node) const {
  const std::string name = node.text();
  if (name == "world") return mechanism::world;
  std::vector<std::string> names = {"world"};
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name() == name) return static_cast<int>(i);
    names.push_back(bodies_[i].name());
  }
  node.fail(fmt::format("there is no body {}{}", name, suggestion(name, names)));
}

void MechanismText::declare() {
  refuse_determined(draft_);
  const Node bodies = *draft_.section("bodies");
  check_table(bodies, "rod = { mass = \"1 kg\" }");
  for (const Node& node : bodies.entries()) {
    const Key key = read_key(node);
    if (key.is_family() || key.index) node.fail("expected the name of a body");
    if (key.name == "world") node.fail("world is the frame at rest; choose another name");
    check_table(node, "{ mass = \"1 kg\", com = [0.1, 0, 0], inertia = [0.1, 0.1, 0.1] }");
    bodies_.push_back(node);
    mechanism::Body body;
    body.name = key.name;
    mechanism_.bodies.push_back(body);
  }
  const auto joints = draft_.section("joints");
  if (!joints)
    draft_.model.fail(
        "[model.joints] is missing; add it, with a line such as pin = { child = \"rod\", type = \"hinge\", axis = [0, "
        "0, 1] }");
  for (const Node& node : joints->entries()) declare_joint(node);
  stated_ = static_cast<int>(joints_.size());
  joint_tree_ = placed_at(bodies_, joints_, [&] { return mechanism::make_tree(mechanism_); });
  tree_ = joint_tree_;
  const auto coordinates_of = draft_.section("coordinates");
  has_body_coordinates_ = coordinates_of && coordinates_of->choice({"joint", "body"}) == 1;
  if (has_body_coordinates_) use_body_coordinates();
  if (tree_.rates.empty()) joints->fail("no joint moves; expected one that is not a weld");

  std::vector<MechanismFreedom> coordinates;
  std::vector<MechanismFreedom> rates;
  const bool has_units =
      std::ranges::any_of(draft_.statement.info.parameters, [](const Variable& each) { return !each.unit.empty(); });
  if (!has_units) {
    draft_.second = draft_.units.fresh("t");
    draft_.names.set_time_unit(draft_.second);
  }
  length_ = has_units ? Unit::base(1) : draft_.units.fresh("a length");
  mass_ = has_units ? Unit::base(0) : draft_.units.fresh("a mass");
  draft_.energy = mass_ * length_ * length_ / (draft_.second * draft_.second);
  const auto unit_of = [&](Kind kind) { return kind == Kind::length ? length_ : Unit(); };
  for (const auto& each : tree_.coordinates) {
    const char* const text = each.kind == Kind::angle        ? "rad"
                             : each.kind == Kind::quaternion ? "1"
                             : has_units                     ? "m"
                                                             : "";
    coordinates.push_back({joints_[static_cast<std::size_t>(each.joint)], each.name, text, unit_of(each.kind)});
    draft_.coordinate_starts.push_back(each.start);
  }
  for (const auto& each : tree_.rates) {
    const char* const text = each.kind != Kind::length ? "rad/s" : has_units ? "m/s" : "";
    rates.push_back({joints_[static_cast<std::size_t>(each.joint)], each.name, has_units ? text : "",
                     unit_of(each.kind) / draft_.second});
  }
  declare_freedoms(draft_, coordinates, rates, tree_.has_balls());
}

void MechanismText::declare_joint(const Node& node) {
  const Key key = read_key(node);
  if (key.is_family() || key.index) node.fail("expected the name of a joint");
  check_table(node, "{ child = \"rod\", type = \"hinge\", axis = [0, 0, 1] }");
  refuse_other_keys(node, {"parent", "child", "type", "at", "child_at", "quat", "axis", "axis2", "pitch", "length",
                           "stiffness", "rest", "damping", "armature", "cut", "limits", "limit_restitution"});
  Joint joint;
  joint.name = key.name;
  const auto child = entry_of(node, "child");
  if (!child) node.fail("child is missing; add child = \"NAME\", the body that the joint carries");
  joint.child = body_of(*child);
  if (const auto parent = entry_of(node, "parent")) joint.parent = body_of(*parent);
  const auto type = entry_of(node, "type");
  if (!type) node.fail("type is missing; add type = \"hinge\" (or slide, ball, free, weld, ...)");
  std::vector<std::string> names;
  for (const JointType each : mechanism::joint_types) names.emplace_back(mechanism::name_of(each));
  joint.type = mechanism::joint_types[type->choice(names)];
  if (const auto cut = entry_of(node, "cut")) joint.cut = cut->boolean();
  joints_.push_back(node);
  mechanism_.joints.push_back(joint);
}

Id MechanismText::number(const Node& node, const Unit& unit, const std::string& what, unsigned allowed) {
  if (node.is_text()) {
    if (const auto found = amount(node.text())) {
      if (!draft_.units.unify(found->second, unit)) {
        node.fail(
            fmt::format("{} is {}, and this is {}", what, draft_.units.said(unit), draft_.units.said(found->second)));
      }
      return draft_.graph.number(found->first);
    }
  }
  Wanted wanted;
  wanted.rules.allowed = allowed;
  wanted.rules.whose = what;
  wanted.rules.made_of = allowed == constant ? "parameters" : "t, coordinates and " + draft_.rates_word;
  wanted.unit = unit;
  wanted.what = what;
  return draft_.of_rates(take(draft_, read_written(node), {}, wanted).id);
}

Id MechanismText::number_of(const Node& table, const char* key, const Unit& unit, double otherwise) {
  const auto node = entry_of(table, key);
  return node ? number(*node, unit, fmt::format("{} of {}", key, table.name()), constant)
              : draft_.graph.number(otherwise);
}

Vector MechanismText::vector(const Node& node, const Unit& unit, const std::string& what, unsigned allowed) {
  const std::vector<Node> items = node.items("an array of three numbers or expressions, such as [0, 0, \"L/2\"]");
  if (items.size() != 3) node.fail(fmt::format("expected three numbers or expressions, found {}", items.size()));
  return {number(items[0], unit, what, allowed), number(items[1], unit, what, allowed),
          number(items[2], unit, what, allowed)};
}

Vector MechanismText::vector_of(const Node& table, const char* key, const Unit& unit) {
  const auto node = entry_of(table, key);
  return node ? vector(*node, unit, fmt::format("{} of {}", key, table.name()), constant) : algebra_.zero();
}

Vector MechanismText::unit_vector(const Node& node) {
  const Vector axis = vector(node, draft_.units.fresh(node.name()), "an axis", constant);
  std::array<double, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = draft_.graph.constant(axis[i]);
    if (!value) return algebra_.scale(draft_.graph.divide(algebra_.number(1), algebra_.norm(axis)), axis);
    values[i] = *value;
  }
  const double length = std::hypot(values[0], values[1], values[2]);
  if (length == 0) node.fail("an axis of length zero has no direction; expected one such as [0, 0, 1]");
  return algebra_.vector(values[0] / length, values[1] / length, values[2] / length);
}

mechanism::Quaternion MechanismText::quaternion_of(const Node& table) {
  const auto node = entry_of(table, table.is_table() && entry_of(table, "axes") ? "axes" : "quat");
  if (!node) return algebra_.no_rotation();
  const std::vector<Node> items = node->items("an array of four numbers [w, x, y, z], a quaternion");
  if (items.size() != 4) node->fail(fmt::format("expected a quaternion [w, x, y, z], found {} numbers", items.size()));
  mechanism::Quaternion e{};
  double size = 0;
  bool is_constant = true;
  for (std::size_t i = 0; i < 4; ++i) {
    e[i] = number(items[i], Unit(), "a quaternion", constant);
    const auto value = draft_.graph.constant(e[i]);
    is_constant = is_constant && value;
    size += value ? *value * *value : 0;
  }
  if (is_constant && size == 0)
    node->fail("a quaternion of length zero is no rotation; expected one such as [1, 0, 0, 0]");
  return e;
}

void MechanismText::read_body(const Node& node) {
  refuse_other_keys(node, {"mass", "com", "inertia", "axes", "box", "sphere", "cylinder", "capsule", "rod", "meaning"});
  mechanism::Body& body = mechanism_.bodies[static_cast<std::size_t>(body_of_name(node.name()))];
  body.mass = number_of(node, "mass", mass_, 0);
  require_not_negative(body.mass);
  body.com = vector_of(node, "com", length_);
  body.inertia.fill(algebra_.number(0));
  read_inertia(node, body);
}

int MechanismText::body_of_name(const std::string& name) const {
  const auto found = std::ranges::find(bodies_, name, [](const Node& each) { return each.name(); });
  return static_cast<int>(found - bodies_.begin());
}

double MechanismText::at_defaults(Id value) const {
  return formula::at_defaults(draft_.graph, {value}, draft_.statement.info).front();
}

Eigen::Matrix3d MechanismText::inertia_at_defaults(const mechanism::Body& body) const {
  const std::vector<double> v =
      formula::at_defaults(draft_.graph, {body.inertia.begin(), body.inertia.end()}, draft_.statement.info);
  Eigen::Matrix3d inertia;
  inertia << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
  return inertia;
}

void MechanismText::require_not_negative(Id value) {
  formula::Graph& g = draft_.graph;
  if (!g.constant(value)) draft_.require(g.binary(formula::Op::less_equal, g.number(0), slackened(g, value)));
}

Id MechanismText::size_of(const Node& node, const std::string& what) {
  const Id value = number(node, length_, what, constant);
  sizes_.emplace_back(node, value);
  require_not_negative(value);
  return value;
}

void MechanismText::read_inertia(const Node& node, mechanism::Body& body) {
  formula::Graph& g = draft_.graph;
  const Unit moment = mass_ * length_ * length_;
  std::vector<Node> given;
  for (const char* key : {"inertia", "box", "sphere", "cylinder", "capsule", "rod"}) {
    if (const auto entry = entry_of(node, key)) given.push_back(*entry);
  }
  if (given.empty()) {
    if (const auto axes = entry_of(node, "axes")) axes->fail("axes belong to an inertia or a shape; add one");
    return;
  }
  if (given.front().name() != "inertia" && !entry_of(node, "mass")) {
    node.fail(fmt::format("mass is missing; add mass = \"1 kg\", of which {} makes the inertia", given.front().name()));
  }
  if (given.size() > 1)
    given[1].fail(fmt::format("{} gives the inertia already; leave out one of the two", given[0].name()));
  const Node& entry = given.front();
  const std::string& key = entry.name();
  const auto times = [&](double factor, Id x) { return g.multiply(algebra_.number(factor), x); };
  const auto square = [&](Id x) { return g.multiply(x, x); };
  std::array<Id, 3> principal{};
  const auto lengths = [&](std::size_t count, const std::string& form) {
    const std::vector<Node> items = entry.items(form);
    if (items.size() != count) entry.expected(form);
    std::vector<Id> values;
    for (const Node& each : items) values.push_back(size_of(each, key + " of " + node.name()));
    return values;
  };
  if (key == "inertia") {
    const std::vector<Node> items = entry.items("[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    if (items.size() != 3 && items.size() != 6) entry.expected("[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    for (std::size_t i = 0; i < items.size(); ++i) {
      body.inertia[i] = number(items[i], moment, "inertia of " + node.name(), constant);
      if (i < 3) require_not_negative(body.inertia[i]);
    }
    if (items.size() == 6 && entry_of(node, "axes")) entry.fail("axes are for three principal inertias, found six");
  } else if (key == "rod") {
    const Vector end = vector(entry, length_, "rod of " + node.name(), constant);
    if (!entry_of(node, "com")) body.com = algebra_.scale(algebra_.number(0.5), end);
    const Id twelfth = times(1.0 / 12, body.mass);
    const auto sum = [&](std::size_t i, std::size_t j) {
      return g.multiply(twelfth, g.add(square(end[i]), square(end[j])));
    };
    const auto off = [&](std::size_t i, std::size_t j) {
      return g.negate(g.multiply(twelfth, g.multiply(end[i], end[j])));
    };
    body.inertia = {sum(1, 2), sum(0, 2), sum(0, 1), off(0, 1), off(0, 2), off(1, 2)};
    const Vector half = algebra_.scale(algebra_.number(0.5), end);
    body.outline = {{algebra_.negate(half), half}};
  } else if (key == "box") {
    const std::vector<Id> side = lengths(3, "[x, y, z], the sides of a box");
    const Id twelfth = times(1.0 / 12, body.mass);
    principal = {g.multiply(twelfth, g.add(square(side[1]), square(side[2]))),
                 g.multiply(twelfth, g.add(square(side[0]), square(side[2]))),
                 g.multiply(twelfth, g.add(square(side[0]), square(side[1])))};
    std::copy(principal.begin(), principal.end(), body.inertia.begin());
    body.outline = mechanism::box_outline(algebra_, {side[0], side[1], side[2]});
  } else if (key == "sphere") {
    const Id r = size_of(entry, "sphere of " + node.name());
    principal.fill(times(0.4, g.multiply(body.mass, square(r))));
    std::copy(principal.begin(), principal.end(), body.inertia.begin());
    body.outline = mechanism::sphere_outline(algebra_, r);
  } else {
    const std::vector<Id> size = lengths(2, "[radius, length]; its axis is z");
    const Id r2 = square(size[0]);
    const Id l2 = square(size[1]);
    if (key == "cylinder") {
      const Id across = g.multiply(body.mass, g.add(times(0.25, r2), times(1.0 / 12, l2)));
      principal = {across, across, times(0.5, g.multiply(body.mass, r2))};
      body.outline = mechanism::cylinder_outline(algebra_, size[0], size[1]);
    } else {
      // a cylinder between two half spheres, of one density
      const Id volume = g.add(size[1], times(4.0 / 3, size[0]));
      const Id barrel = g.divide(g.multiply(body.mass, size[1]), volume);
      const Id ends = g.divide(g.multiply(body.mass, times(4.0 / 3, size[0])), volume);
      const Id reach = g.add(times(0.25, l2), times(0.375, g.multiply(size[1], size[0])));
      const Id across = g.add(g.multiply(barrel, g.add(times(0.25, r2), times(1.0 / 12, l2))),
                              g.multiply(ends, g.add(times(0.4, r2), reach)));
      principal = {across, across, g.add(times(0.5, g.multiply(barrel, r2)), times(0.4, g.multiply(ends, r2)))};
      body.outline = mechanism::capsule_outline(algebra_, size[0], size[1]);
    }
    std::copy(principal.begin(), principal.end(), body.inertia.begin());
  }
  const auto axes = entry_of(node, "axes");
  if (axes && key == "rod") axes->fail("a rod has a direction already; leave out axes");
  const mechanism::Matrix turn = axes ? algebra_.rotation(quaternion_of(node)) : algebra_.identity();
  for (auto& line : body.outline) {
    for (Vector& point : line) point = algebra_.add(body.com, algebra_.multiply(turn, point));
  }
  if (!axes) return;
  const auto& I = body.inertia;
  const auto turned = [&](std::size_t i, std::size_t j) {
    Id sum = algebra_.number(0);
    for (std::size_t k = 0; k < 3; ++k) sum = g.add(sum, g.multiply(I[k], g.multiply(turn[i][k], turn[j][k])));
    return sum;
  };
  body.inertia = {turned(0, 0), turned(1, 1), turned(2, 2), turned(0, 1), turned(0, 2), turned(1, 2)};
}

void MechanismText::read_joint(int index) {
  const Node& node = joints_[static_cast<std::size_t>(index)];
  Joint& joint = mechanism_.joints[static_cast<std::size_t>(index)];
  joint.at = vector_of(node, "at", length_);
  joint.child_at = vector_of(node, "child_at", length_);
  joint.turn = quaternion_of(node);
  const auto is = [&](std::initializer_list<JointType> types) { return std::ranges::count(types, joint.type) > 0; };
  const bool has_axis = is({JointType::hinge, JointType::slide, JointType::universal, JointType::cylinder,
                            JointType::planar, JointType::screw});
  const auto refuse = [&](const char* key, bool is_known) {
    const auto entry = entry_of(node, key);
    if (entry && !is_known)
      entry->fail(fmt::format("a {} joint has no {}; leave it out", mechanism::name_of(joint.type), key));
  };
  refuse("axis", has_axis);
  refuse("axis2", joint.type == JointType::universal);
  refuse("pitch", joint.type == JointType::screw);
  refuse("length", joint.type == JointType::distance);
  joint.axis = algebra_.vector(0, 0, 1);
  if (has_axis) {
    const auto axis = entry_of(node, "axis");
    if (!axis) node.fail("axis is missing; add axis = [0, 0, 1], its direction in the joint's frame");
    joint.axis = unit_vector(*axis);
  }
  joint.second = algebra_.vector(1, 0, 0);
  if (joint.type == JointType::universal) {
    const auto axis = entry_of(node, "axis2");
    if (!axis) node.fail("axis2 is missing; add axis2 = [1, 0, 0], the axis of the second turn");
    joint.second = unit_vector(*axis);
    const Vector across = algebra_.cross(joint.axis, joint.second);
    double sine = 0;
    for (const Id each : across) sine = std::hypot(sine, draft_.graph.constant(each).value_or(1));
    if (sine < 1e-9) axis->fail("axis2 is parallel to axis, so that both turns are one; expected another direction");
  }
  if (joint.type == JointType::screw) {
    if (!entry_of(node, "pitch")) node.fail("pitch is missing; add pitch = \"2e-3 m\", the travel in one turn");
    joint.pitch = number_of(node, "pitch", length_, 0);
  }
  if (joint.type == JointType::distance) {
    if (!entry_of(node, "length")) node.fail("length is missing; add length = \"0.1 m\"");
    joint.length = number_of(node, "length", length_, 0);
  }
  for (const char* key : {"stiffness", "rest", "damping", "armature"}) {
    const auto entry = entry_of(node, key);
    if (!entry) continue;
    if (closes(index))
      entry->fail("this joint closes a loop, and has no coordinate; give the force under [model.forces]");
    const bool is_simple = is({JointType::hinge, JointType::slide, JointType::screw, JointType::universal});
    const bool damps_a_ball = std::string(key) == "damping" && joint.type == JointType::ball;
    if (!is_simple && !damps_a_ball) {
      entry->fail(fmt::format("a {} joint takes no {}; give a force by rate under [model.force]",
                              mechanism::name_of(joint.type), key));
    }
  }
  if (const auto rest = entry_of(node, "rest"); rest && !entry_of(node, "stiffness")) {
    rest->fail("rest is the position of a spring without force; add stiffness");
  }
  const Unit turn = joint.type == JointType::slide ? length_ : Unit();
  const auto optional = [&](const char* key, const Unit& unit) -> std::optional<Id> {
    if (!entry_of(node, key)) return std::nullopt;
    return number_of(node, key, unit, 0);
  };
  joint.stiffness = optional("stiffness", draft_.energy / (turn * turn));
  joint.rest = optional("rest", turn);
  joint.damping = optional("damping", draft_.energy * draft_.second / (turn * turn));
  joint.armature = optional("armature", draft_.energy * draft_.second * draft_.second / (turn * turn));
}

bool MechanismText::closes(int joint) const { return std::ranges::count(joint_tree_.closures, joint) > 0; }

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
  tree_ = placed_at(bodies_, joints_, [&] { return mechanism::make_body_tree(mechanism_, joint_tree_, stated_); });
  start_tree_ = joint_tree_;
  const auto nq = static_cast<int>(tree_.coordinates.size());
  const auto nw = static_cast<int>(tree_.rates.size());
  for (mechanism::Link& link : start_tree_.links) {
    link.coordinate += nq;
    link.rate += nw + nq;  // behind the velocities of coordinates
  }
}

void MechanismText::check_inertias_of_bodies() const {
  for (std::size_t j = static_cast<std::size_t>(stated_); j < mechanism_.joints.size(); ++j) {
    const auto b = static_cast<std::size_t>(mechanism_.joints[j].child);
    const mechanism::Body& body = mechanism_.bodies[b];
    const double mass = at_defaults(body.mass);
    const Eigen::Matrix3d inertia = inertia_at_defaults(body);
    double least = 0;
    if (normal_) {
      const Eigen::Vector3d n(at_defaults((*normal_)[0]), at_defaults((*normal_)[1]), at_defaults((*normal_)[2]));
      least = n.dot(inertia * n);
    } else {
      least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues()[0];
    }
    constexpr double rounding = 1e-12;
    if (mass > 0 && least > rounding * inertia.norm()) continue;
    bodies_[b].fail(
        fmt::format("{} is {:.6g}, with which it has no coordinates of its own; give it a mass and an "
                    "inertia, or leave out coordinates = \"body\"",
                    mass > 0 ? "its least moment of inertia" : "its mass", mass > 0 ? least : mass));
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

void MechanismText::read_limits() {
  for (const JointLimit& each : joint_limits(draft_)) {
    const auto found = std::ranges::find(joints_, each.joint.name(), [](const Node& node) { return node.name(); });
    const auto index = static_cast<int>(found - joints_.begin());
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(index)];
    const std::string& name = joint.name;
    if (!has_one_coordinate(joint.type)) {
      each.limits.fail(
          fmt::format("a {} joint has no limits: hinges, slides and screws have; state a gap under [model.unilateral]",
                      mechanism::name_of(joint.type)));
    }
    if (closes(index)) {
      each.limits.fail("this joint closes a loop, and has no coordinate; state a gap under [model.unilateral]");
    }
    const auto coordinate_of = std::ranges::find(joint_coordinates_, index, &mechanism::JointCoordinate::joint);
    const Id coordinate = *coordinate_of->value;
    const Unit unit = joint.type == JointType::slide ? length_ : Unit();
    const std::string what = fmt::format("{} limit of {}", each.is_upper ? "upper" : "lower", name);
    const Id value = number(each.value, unit, what, constant);
    const Id restitution = read_restitution(draft_, entry_of(each.joint, "limit_restitution"), {});
    if (each.is_upper && !limits_.empty() && limits_.back().joint == index) {
      const auto lower = draft_.graph.constant(limits_.back().value);
      const auto upper = draft_.graph.constant(value);
      if (lower && upper && *lower >= *upper) {
        const std::string message =
            fmt::format("expected an upper limit above the lower one, {:g}, found {:g}", *lower, *upper);
        if (each.value.is_text()) fail_at(each.value, formula::Fault(message, {0, each.value.text().size()}));
        each.value.fail(message);
      }
    }
    const auto stated = draft_.graph.constant(value);
    if (has_body_coordinates_ && !normal_ && joint.type == JointType::hinge && stated &&
        std::abs(*stated) > 1.5 * std::numbers::pi) {
      each.value.fail(
          "expected a limit within three quarters of a turn, for the angle of body coordinates in space jumps after "
          "one");
    }
    limits_.push_back({index, each.is_upper, value, restitution});
    formula::Graph& g = draft_.graph;
    const Id gap = each.is_upper ? g.subtract(value, coordinate) : g.subtract(coordinate, value);
    draft_.limits[each.name()] = {{gap, unit}, restitution, what};
  }
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

std::string MechanismText::limits_text(int joint) const {
  std::string text;
  std::string restitution;
  for (const Limit& each : limits_) {
    if (each.joint != joint) continue;
    text += fmt::format(", {} limit {:g}", each.is_upper ? "upper" : "lower", at_defaults(each.value));
    restitution = fmt::format(", restitution {:g}", at_defaults(each.restitution));
  }
  return text + restitution;
}

void MechanismText::read_geometry() {
  const auto gravity = draft_.section("gravity");
  mechanism_.gravity =
      gravity ? vector(*gravity, length_ / (draft_.second * draft_.second), "gravity", constant) : algebra_.zero();
  for (const Node& node : bodies_) read_body(node);
  for (int i = 0; i < stated_; ++i) read_joint(i);
  check_bodies();
  if (has_body_coordinates_) {
    check_inertias_of_bodies();
    start_kinematics_ = std::make_unique<mechanism::Kinematics>(draft_.graph, mechanism_, start_tree_);
    place_planes();
  }
  kinematics_ = std::make_unique<mechanism::Kinematics>(draft_.graph, mechanism_, tree_);
  if (has_body_coordinates_) {
    joint_coordinates_ = mechanism::body_joint_coordinates(*kinematics_, mechanism_, joint_tree_, tree_, normal_);
    name_joint_coordinates();
    set_body_starts();
  } else {
    joint_coordinates_ = mechanism::tree_coordinates(*kinematics_, tree_);
  }
  read_limits();
  read_points();
  read_poses();
  if (!tree_.has_balls()) return;
  draft_.statement.velocity = kinematics_->coordinate_rates();
  for (int i = 0; i < draft_.nq(); ++i) {
    draft_.velocities[draft_.graph.symbol(formula::Op::rate, draft_.nw() + i)] =
        draft_.statement.velocity[static_cast<std::size_t>(i)];
  }
}

void MechanismText::check_bodies() {
  const auto is_negative = [&](Id value) { return at_defaults(slackened(draft_.graph, value)) < 0; };
  for (const auto& [node, size] : sizes_) {
    if (is_negative(size)) node.fail(fmt::format("expected a size of at least 0, found {:.6g}", at_defaults(size)));
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const mechanism::Body& body = mechanism_.bodies[b];
    const double mass = at_defaults(body.mass);
    const Eigen::Matrix3d inertia = inertia_at_defaults(body);
    if (!std::isfinite(mass) || !inertia.allFinite()) {
      bodies_[b].fail("its mass or inertia is not finite at the parameters' defaults");
    }
    if (is_negative(body.mass)) bodies_[b].fail(fmt::format("its mass is {:.6g}, which is negative", mass));
    const double slack = 1e-9 * inertia.diagonal().cwiseAbs().sum();
    const bool is_diagonal = inertia(0, 1) == 0 && inertia(0, 2) == 0 && inertia(1, 2) == 0;
    const Eigen::Vector3d principal =
        is_diagonal ? Eigen::Vector3d(inertia.diagonal())
                    : Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
    const char* const whose = is_diagonal ? "its inertia" : "its principal inertia";
    for (const double own : principal) {
      const double others = inertia.trace() - own;
      if (own < -slack) bodies_[b].fail(fmt::format("{} {:.6g} is negative", whose, own));
      if (own > others + slack) {
        const char* const remedy = others == 0
                                       ? "; for a body that turns about this axis alone, give each of the others "
                                         "half of it"
                                   : is_diagonal ? "; correct inertia = [xx, yy, zz]"
                                                 : "; correct inertia = [xx, yy, zz, xy, xz, yz]";
        bodies_[b].fail(fmt::format("{} {:.6g} is larger than the sum {:.6g} of the other two, which no body has{}",
                                    whose, own, others, remedy));
      }
    }
  }
}

void MechanismText::read_points() {
  const auto table = draft_.section("points");
  if (!table) return;
  for (const Node& node : table->entries()) {
    const Key key = read_key(node);
    if (key.is_family() || key.index) node.fail("expected the name of a point");
    check_table(node, "{ body = \"rod\", at = [0.1, 0, 0] }");
    refuse_other_keys(node, {"body", "at"});
    const auto body = entry_of(node, "body");
    if (!body) node.fail("body is missing; add body = \"NAME\"");
    const mechanism::Point point{key.name, body_of(*body), vector_of(node, "at", length_)};
    mechanism_.points.push_back(point);
    const Vector position = kinematics_->position(point.body, point.at);
    const Vector velocity = kinematics_->point_velocity(point.body, point.at);
    for (std::size_t i = 0; i < 3; ++i) {
      name_number(point.name + "." + axis_names[i], position[i], length_, "position of the point " + point.name);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      name_number(point.name + ".v" + axis_names[i], velocity[i], length_ / draft_.second,
                  "velocity of the point " + point.name);
    }
    const Vector spin = kinematics_->spin(point.body);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name = point.name + ".w" + axis_names[i];
      draft_.names.add_value(name, {spin[i], Unit() / draft_.second});
      draft_.row_units[name] = Unit() / draft_.second;
      spins_.push_back({name, "", "", spin[i]});
    }
  }
}

void MechanismText::read_poses() {
  const auto node = draft_.section("poses");
  if (!node) return;
  std::vector<int> bodies;
  if (node->is_text() && node->text() == "all") {
    for (std::size_t b = 0; b < bodies_.size(); ++b) bodies.push_back(static_cast<int>(b));
  } else {
    for (const Node& each : node->items("\"all\", or the names of bodies such as [\"rod\"]")) {
      bodies.push_back(body_of(each));
      if (bodies.back() == mechanism::world) each.fail("the world does not move; expected the name of a body");
      if (std::ranges::count(bodies, bodies.back()) > 1) each.fail("is in the list already");
    }
  }
  for (const int body : bodies) {
    const std::string& name = mechanism_.bodies[static_cast<std::size_t>(body)].name;
    if (const auto points = draft_.section("points"); points && entry_of(*points, name))
      node->fail(fmt::format("{} is the name of a body and of a point; choose another name for one of them", name));
    const Vector position = kinematics_->position(body, algebra_.zero());
    const mechanism::Quaternion turn = kinematics_->orientation(body);
    for (std::size_t i = 0; i < 3; ++i) {
      name_number(name + "." + axis_names[i], position[i], length_, "position of the frame of " + name);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      name_number(fmt::format("{}.e{}", name, i), turn[i], Unit(), "orientation of " + name);
    }
  }
}

void MechanismText::name_number(const std::string& name, Id value, const Unit& unit, const std::string& meaning) {
  draft_.names.add_value(name, {value, unit});
  outputs_.push_back({name, "", meaning, value});
  draft_.row_units[name] = unit;
}

void MechanismText::add_outputs() {
  formula::Statement& statement = draft_.statement;
  statement.invariants.insert(statement.invariants.end(), outputs_.begin(), outputs_.end());
  statement.info.invariance.resize(statement.invariants.size(), Invariance::free);
}

namespace {

/// Word of an expression.
struct Word {
  std::string text;
  bool has_part = false;  ///< a dot follows
};

std::vector<Word> words_of(const std::string& text) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<Word> words;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > begin) words.push_back({text.substr(begin, end - begin), end < text.size() && text[end] == '.'});
    begin = end + 1;
  }
  return words;
}

/// Expression of a constraint or of a contact; none for a number.
std::optional<std::string> text_of_row(const Node& entry) {
  Node written = entry;
  for (const char* key : {"is", "gap"}) {
    if (const auto found = entry.is_table() ? entry_of(entry, key) : std::nullopt) written = *found;
  }
  return written.is_text() ? std::optional(written.text()) : std::nullopt;
}

}  // namespace

std::string MechanismText::name_of_bodies_in(const std::string& text, int depth) const {
  constexpr int deepest = 100;  // of definitions in each other; a circle of them fails elsewhere
  const auto let = draft_.section("let");
  for (const Word& word : words_of(text)) {
    const auto has_name = [&](const auto& each) { return each.name == word.text; };
    const bool is_part = word.has_part && (std::ranges::any_of(mechanism_.points, has_name) ||
                                           std::ranges::any_of(mechanism_.bodies, has_name));
    const bool is_coordinate = has_body_coordinates_ && (std::ranges::any_of(tree_.coordinates, has_name) ||
                                                         std::ranges::any_of(tree_.rates, has_name));
    if (is_part || is_coordinate) return word.text;
    if (!let || depth >= deepest) continue;
    for (const Node& each : let->entries()) {
      if (read_key(each).name != word.text || !each.is_text()) continue;
      if (std::string found = name_of_bodies_in(each.text(), depth + 1); !found.empty()) return found;
    }
  }
  return "";
}

std::string MechanismText::add_forces_on_bodies(std::vector<mechanism::BodyForce>& forces) {
  if (!draft_.statement.actuation.empty()) return "the forces of a servo-constraint act along its actuators";
  if (has_body_coordinates_ && draft_.section("non_ideal"))
    return "the non-ideal forces act along coordinates of bodies; use coordinates = \"joint\"";
  const auto rubs = [](const Contact& each) { return each.friction.has_value(); };
  if (std::ranges::any_of(draft_.statement.info.contacts, rubs)) {
    return "the friction of contacts is not among the forces on bodies yet";
  }
  if (const auto node = draft_.section("lagrangian"); node && node->is_text()) {
    if (const std::string name = name_of_bodies_in(node->text()); !name.empty())
      return fmt::format("the Lagrangian is of {}; state its forces under [model.forces]", name);
  }
  if (has_body_coordinates_) add_stated_forces(forces);
  for (const char* section : {"couplings", "holonomic", "nonholonomic", "unilateral"}) {
    const auto table = draft_.section(section);
    if (!table) continue;
    for (const Node& each : table->entries()) {
      const std::optional<std::string> text = text_of_row(each);
      const std::string name = text ? name_of_bodies_in(*text) : "";
      if (name.empty() || add_constraint_forces(each, *text, forces)) continue;
      return fmt::format(
          "the constraint {} is of {}, and its forces on the bodies are not known; write it in positions and "
          "velocities "
          "of points, without [model.let] and families, or state it as a joint",
          each.name(), name);
    }
  }
  return "";
}

void MechanismText::add_stated_forces(std::vector<mechanism::BodyForce>& forces) {
  for (const mechanism::Link& link : tree_.links) {
    if (link.joint < stated_ || link.motion == mechanism::Link::Motion::weld) continue;
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(link.joint)];
    mechanism::BodyForce force{joint.child, algebra_.zero(), algebra_.zero(), algebra_.zero()};
    const auto along = [&](int i) { return stated_force_[static_cast<std::size_t>(link.rate + i)]; };
    if (link.motion == mechanism::Link::Motion::ball) {
      force.torque = algebra_.multiply(kinematics_->pose(joint.child).rotation, Vector{along(0), along(1), along(2)});
    } else {
      const Vector axis = mechanism::axes_of(algebra_, joint)[static_cast<std::size_t>(link.axis)];
      Vector& part = link.motion == mechanism::Link::Motion::slide ? force.force : force.torque;
      part = algebra_.scale(along(0), axis);
    }
    forces.push_back(force);
  }
}

bool MechanismText::add_constraint_forces(const Node& entry, const std::string& text,
                                          std::vector<mechanism::BodyForce>& forces) {
  formula::Graph& g = draft_.graph;
  const formula::Statement& statement = draft_.statement;
  // The row, and the discrete variable that multiplies it.
  const auto place_in = [&](const std::vector<formula::Equation>& rows) {
    return std::ranges::find(rows, entry.name(), &formula::Equation::name) - rows.begin();
  };
  const auto holonomic = static_cast<std::ptrdiff_t>(statement.holonomic.size());
  std::ptrdiff_t row = place_in(statement.holonomic);
  const bool is_holonomic = row < holonomic;
  if (!is_holonomic) row += place_in(statement.nonholonomic);
  if (row == holonomic + static_cast<std::ptrdiff_t>(statement.nonholonomic.size())) return false;  // a family
  Id factor = algebra_.number(1);
  if (const auto holds = entry.is_table() ? entry_of(entry, "while") : std::nullopt)
    factor = g.symbol(formula::Op::parameter, draft_.names.find(holds->text())->first);
  const auto contact = std::ranges::find(statement.info.contacts, entry.name(), &Contact::name);
  const bool is_contact = contact != statement.info.contacts.end();
  if (is_contact) factor = g.symbol(formula::Op::parameter, contact->mode);
  const std::vector<Word> words = words_of(text);
  if (const auto let = draft_.section("let")) {
    for (const Node& each : let->entries()) {
      const bool is_used = std::ranges::count(words, read_key(each).name, &Word::text) > 0;
      if (is_used && each.is_text() && !name_of_bodies_in(each.text()).empty()) return false;
    }
  }
  if (has_body_coordinates_) {
    const auto is_own = [&](const mechanism::Freedom& each) {
      return std::ranges::count(words, each.name, &Word::text) > 0;
    };
    if (std::ranges::any_of(tree_.coordinates, is_own) || std::ranges::any_of(tree_.rates, is_own)) return false;
  }
  // The constraint as an expression of symbols in place of the numbers of points and poses.
  std::map<Id, Id> values;
  std::map<std::string, Id> symbols;
  std::vector<formula::Equation> named = outputs_;
  named.insert(named.end(), spins_.begin(), spins_.end());
  for (const formula::Equation& each : named) {
    if (each.name.find('.') == std::string::npos) continue;  // of joints
    const Id symbol = g.symbol(formula::Op::observed, static_cast<int>(symbols.size()));
    symbols[each.name] = symbol;
    values[symbol] = each.value;
    draft_.names.add_value(each.name, {symbol, draft_.row_units[each.name]});
  }
  const formula::Rules rules{.allowed = ~0U};
  const Node written = entry.is_table() ? *entry_of(entry, is_contact ? "gap" : "is") : entry;
  const Id value =
      draft_.of_rates(is_contact ? draft_.lowering.number(read_written(written).syntax, {}, rules).value.id
                                 : draft_.lowering.equation(read_equation(written).syntax, {}, rules).value.id);
  for (const formula::Equation& each : named) {
    draft_.names.add_value(each.name, {each.value, draft_.row_units[each.name]});
  }
  const Id multiplier =
      g.multiply(factor, g.symbol(formula::Op::ideal, static_cast<int>(tree_.rates.size()) + static_cast<int>(row)));
  const auto slope = [&](const std::string& name) {
    const auto found = symbols.find(name);
    if (found == symbols.end()) return algebra_.number(0);
    return formula::substitute(g, formula::derivative(g, value, found->second), values);
  };
  const auto slopes = [&](const std::string& name, const char* kind) {
    const std::string prefix = name + '.' + kind;
    return algebra_.scale(multiplier, Vector{slope(prefix + 'x'), slope(prefix + 'y'), slope(prefix + 'z')});
  };
  for (const mechanism::Point& each : mechanism_.points) {
    const Vector torque = is_holonomic ? algebra_.zero() : slopes(each.name, "w");
    forces.push_back({each.body, each.at, slopes(each.name, is_holonomic ? "" : "v"), torque});
  }
  for (int body = 0; body < static_cast<int>(bodies_.size()); ++body) {
    const std::string& name = mechanism_.bodies[static_cast<std::size_t>(body)].name;
    for (const char* part : {".e0", ".e1", ".e2", ".e3"}) {
      const auto found = symbols.find(name + part);
      if (found != symbols.end() && formula::depends_on_symbol(g, value, found->second)) return false;
    }
    if (is_holonomic && symbols.contains(name + ".x"))
      forces.push_back({body, algebra_.zero(), slopes(name, ""), algebra_.zero()});
  }
  return true;
}

void MechanismText::add_reactions() {
  formula::Statement& statement = draft_.statement;
  mechanism::Mechanism loaded = mechanism_;
  statement.info.reactions_absence = add_forces_on_bodies(loaded.body_forces);
  if (!statement.info.reactions_absence.empty()) return;
  formula::Graph& g = draft_.graph;
  const auto rates = static_cast<int>(tree_.rates.size());
  mechanism::ReactionInputs inputs;
  for (int i = 0; i < rates; ++i) inputs.accelerations.push_back(g.symbol(formula::Op::ideal, i));
  for (const formula::Equation& row : closures_.rows) {
    const auto found = std::ranges::find(statement.holonomic, row.name, &formula::Equation::name);
    const auto place = static_cast<int>(found - statement.holonomic.begin());
    inputs.multipliers.push_back(g.symbol(formula::Op::ideal, rates + place));
  }
  const auto add = [&](const std::string& name, const char* kind, const Vector& value, const char* text,
                       const Unit& unit) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string component = fmt::format("{}.{}{}", name, kind, axis_names[i]);
      statement.reactions.push_back({component, text, "", value[i]});
      draft_.row_units[component] = unit;
    }
  };
  for (const mechanism::Reaction& each :
       mechanism::make_reactions(*kinematics_, loaded, tree_, joint_tree_, stated_, closures_, inputs)) {
    const std::string& name = mechanism_.joints[static_cast<std::size_t>(each.joint)].name;
    add(name, "f", each.force, "N", draft_.energy / length_);
    add(name, "t", each.torque, "N m", draft_.energy);
  }
}

void MechanismText::find_mobility(const formula::Terms& terms) {
  mobility_ = mechanism::mobility(draft_.graph, terms,
                                  formula::typical_values(draft_.graph, terms.start_q, draft_.statement.info));
  if (!mobility_) return;
  int idle = 0;
  for (std::size_t i = 0; i < tree_.closures.size(); ++i) {
    if (closes(tree_.closures[i])) idle += closures_.idle[i];
  }
  draft_.statement.info.redundant_rows = mobility_->redundant + idle;
}

void MechanismText::read_joint_force(const Node& node) {
  refuse_other_keys(node, {"joint", "torque", "force"});
  const Node named = *entry_of(node, "joint");
  const std::string name = named.text();
  std::vector<std::string> names;
  for (int i = 0; i < stated_; ++i) names.push_back(joints_[static_cast<std::size_t>(i)].name());
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) named.fail(fmt::format("there is no joint {}{}", name, suggestion(name, names)));
  const auto index = static_cast<std::size_t>(found - names.begin());
  const JointType type = mechanism_.joints[index].type;
  const bool slides = type == JointType::slide;
  if (!has_one_coordinate(type)) {
    named.fail("a motor drives a hinge, a slide or a screw; give a force by rate under [model.force]");
  }
  if (closes(static_cast<int>(index))) {
    named.fail("this joint closes a loop, and has no coordinate; give the force on its bodies");
  }
  const char* const key = slides ? "force" : "torque";
  const auto value = entry_of(node, key);
  if (!value) node.fail(fmt::format("{0} is missing; add {0} = \"...\", an expression of the state", key));
  if (const auto other = entry_of(node, slides ? "torque" : "force"))
    other->fail(fmt::format("the joint takes a {}", key));
  const Unit unit = slides ? draft_.energy / length_ : draft_.energy;
  mechanism_.joint_forces.push_back(
      {static_cast<int>(index), number(*value, unit, std::string("a ") + key, formula::on_state)});
}

void MechanismText::read_spring(const Node& node) {
  refuse_other_keys(node, {"from", "to", "stiffness", "length", "damping"});
  mechanism::Spring spring;
  constexpr const char* ends[] = {"from", "to"};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto end = entry_of(node, ends[i]);
    if (!end) node.fail(fmt::format("{0} is missing; add {0} = [\"BODY\", 0, 0, 0]", ends[i]));
    const std::vector<Node> items = end->items("[\"BODY\", x, y, z]");
    if (items.size() != 4) end->expected("[\"BODY\", x, y, z], a point of a body");
    spring.bodies[i] = body_of(items[0]);
    for (std::size_t k = 0; k < 3; ++k) spring.at[i][k] = number(items[k + 1], length_, "a point", constant);
  }
  if (spring.bodies[0] == spring.bodies[1]) node.fail("connects a body to itself");
  const Unit stiffness = draft_.energy / (length_ * length_);
  spring.stiffness = number_of(node, "stiffness", stiffness, 0);
  spring.length = number_of(node, "length", length_, 0);
  spring.damping = number_of(node, "damping", stiffness * draft_.second, 0);
  mechanism_.springs.push_back(spring);
}

void MechanismText::read_forces() {
  const auto table = draft_.section("forces");
  if (!table) return;
  for (const Node& node : table->entries()) {
    check_table(node, "{ joint = \"pin\", torque = \"...\" }");
    if (entry_of(node, "joint")) {
      read_joint_force(node);
    } else if (entry_of(node, "from") || entry_of(node, "to")) {
      read_spring(node);
    } else if (const auto body = entry_of(node, "body")) {
      refuse_other_keys(node, {"body", "at", "force", "torque"});
      mechanism::BodyForce force;
      force.body = body_of(*body);
      if (force.body == mechanism::world) body->fail("world is at rest, and no force moves it; expected a body");
      force.at = vector_of(node, "at", length_);
      const auto value = entry_of(node, "force");
      const auto torque = entry_of(node, "torque");
      if (!value && !torque) node.fail("force is missing; add force = [0, 0, \"F\"], along the axes of the world");
      force.force = value ? vector(*value, draft_.energy / length_, "a force", formula::on_state) : algebra_.zero();
      force.torque = torque ? vector(*torque, draft_.energy, "a torque", formula::on_state) : algebra_.zero();
      mechanism_.body_forces.push_back(force);
    } else {
      node.fail("expected joint (a motor), body (a force at a point) or from and to (a spring)");
    }
  }
}

void MechanismText::add_terms() {
  read_forces();
  const mechanism::Dynamics dynamics = placed_at(
      bodies_, joints_, [&] { return mechanism::make_dynamics(*kinematics_, mechanism_, tree_, joint_coordinates_); });
  formula::Statement& statement = draft_.statement;
  statement.metric = dynamics.metric;
  statement.energy = dynamics.energy;
  statement.force.resize(dynamics.force.size(), algebra_.number(0));
  stated_force_ = statement.force;
  for (std::size_t i = 0; i < dynamics.force.size(); ++i) {
    statement.force[i] = draft_.graph.add(dynamics.force[i], statement.force[i]);
  }
  add_closures();
}

void MechanismText::add_closures() {
  const formula::TypicalValues about = {formula::default_parameters(draft_.statement.info), draft_.coordinate_starts};
  closures_ =
      placed_at(bodies_, joints_, [&] { return mechanism::make_closures(*kinematics_, mechanism_, tree_, about); });
  for (std::size_t i = 0; i < closures_.rows.size(); ++i) {
    const formula::Equation& row = closures_.rows[i];
    const Kind kind = closures_.kinds[i];
    const Unit unit = kind == Kind::length ? length_ : kind == Kind::angle ? Unit() : length_ * length_;
    const Node& node = joints_[static_cast<std::size_t>(closures_.joint[i])];
    if (draft_.names.find(row.name) != nullptr || !draft_.row_units.try_emplace(row.name, unit).second)
      node.fail(fmt::format("its constraint {} exists already; choose another name", row.name));
    draft_.statement.holonomic.push_back(row);
    draft_.names.add_multiplier(row.name, 0, draft_.energy / unit);
  }
}

MechanismPicture MechanismText::picture() {
  const mechanism::Skeleton skeleton = mechanism::make_skeleton(*kinematics_, mechanism_, joint_tree_, stated_);
  std::vector<std::size_t> drawn;
  for (std::size_t i = 0; i < 3 && !skeleton.points.empty(); ++i) {
    const auto varies = [&](const Vector& point) { return point[i] != skeleton.points.front()[i]; };
    if (std::ranges::any_of(skeleton.points, varies) || !draft_.graph.constant(skeleton.points.front()[i])) {
      drawn.push_back(i);
    }
  }
  if (drawn.size() != 2) drawn = {0, 1, 2};
  MechanismPicture picture;
  for (const std::size_t i : drawn) picture.axes += axis_names[i];
  std::vector<Id> roots;
  for (const Vector& point : skeleton.points) {
    for (const std::size_t i : drawn) roots.push_back(point[i]);
  }
  picture.positions = formula::Program(draft_.graph, roots);
  for (const auto& each : skeleton.lines) picture.lines.push_back(each.points);
  for (const auto& each : skeleton.dots) {
    picture.dots.push_back({each.name, each.point, each.body != mechanism::world});
  }
  return picture;
}

std::string MechanismText::description() const {
  std::string text =
      fmt::format("{} bodies, {} joints, {} loops\n", bodies_.size(), stated_, joint_tree_.closures.size());
  const auto body_name = [&](int body) {
    return body == mechanism::world ? std::string("world") : mechanism_.bodies[static_cast<std::size_t>(body)].name;
  };
  for (const Joint& joint : mechanism_.joints) {
    const auto index = static_cast<int>(&joint - mechanism_.joints.data());
    std::string role;
    const auto closure = std::ranges::find(tree_.closures, index);
    if (closure != tree_.closures.end()) {
      const auto at = static_cast<std::size_t>(closure - tree_.closures.begin());
      const auto rows = std::ranges::count(closures_.joint, index);
      role = fmt::format("{}{} rows, {} idle", closes(index) ? "closes a loop: " : "", rows + closures_.idle[at],
                         closures_.idle[at]) +
             limits_text(index);
    } else {
      std::vector<std::string> names;
      for (const auto& each : tree_.coordinates) {
        if (each.joint == index) names.push_back(each.name);
      }
      role = (names.empty() ? (joint.type == JointType::free ? "no rows" : "fixed")
                            : fmt::format("{}", fmt::join(names, ", "))) +
             limits_text(index);
    }
    if (index < stated_) {
      text += fmt::format("{}: {}, {} -> {}; {}\n", joint.name, mechanism::name_of(joint.type), body_name(joint.parent),
                          body_name(joint.child), role);
    } else {
      text += fmt::format("coordinates of {}: {}\n", joint.name, role);
    }
  }
  text += mobility_ ? fmt::format("mobility {}", mobility_->free)
                    : std::string("mobility unknown: the loops do not close from the start");
  const SystemInfo& info = draft_.statement.info;
  if (!info.reactions_absence.empty()) {
    text += "\njoint reactions are not known: " + info.reactions_absence;
  } else if (info.redundant_rows > 0) {
    text += fmt::format("\njoint reactions are not unique: {} redundant row{}", info.redundant_rows,
                        info.redundant_rows == 1 ? "" : "s");
  }
  return text + '\n';
}

}  // namespace kalaba::text_model
