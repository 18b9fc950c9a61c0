#include "scenario/model/mechanism_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "formula/graph/program.hpp"
#include "formula/mechanics/defaults.hpp"
#include "mechanism/dynamics.hpp"
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
  joint_tree_ = placed([&] { return mechanism::make_tree(mechanism_); });
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
    draft_.statement.info.has_time_unit = false;
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
    joint.length = not_negative_of(node, "length", length_);
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
  if (entry_of(node, "armature")) {
    joint.armature = not_negative_of(node, "armature", draft_.energy * draft_.second * draft_.second / (turn * turn));
  }
}

bool MechanismText::closes(int joint) const { return std::ranges::count(joint_tree_.closures, joint) > 0; }

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
  const mechanism::Dynamics dynamics =
      placed([&] { return mechanism::make_dynamics(*kinematics_, mechanism_, tree_, joint_coordinates_); });
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
  closures_ = placed([&] { return mechanism::make_closures(*kinematics_, mechanism_, tree_, about); });
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
