// Masses, inertias and shapes of bodies.

#include "scenario/model/mechanism_text.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "formula/graph/traverse.hpp"
#include "formula/mechanics/defaults.hpp"
#include "mechanism/outline.hpp"
#include "scenario/model/declarations.hpp"

namespace kalaba::text_model {

using formula::Id;
using formula::Unit;
using mechanism::Vector;

namespace {

/// Number that is negative where `value` is, by more than rounding of the terms from which it is summed.
Id slackened(formula::Graph& g, Id value) {
  Id size = g.number(0);
  for (const Id each : formula::addends(g, value)) size = g.add(size, g.unary(formula::Op::abs, each));
  return g.add(value, g.multiply(g.number(1e-12), size));
}

}  // namespace

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

bool MechanismText::is_negative(Id value) const { return at_defaults(slackened(draft_.graph, value)) < 0; }

Id MechanismText::not_negative_of(const Node& joint, const char* key, const Unit& unit) {
  const Id value = number_of(joint, key, unit, 0);
  if (is_negative(value)) {
    entry_of(joint, key)->fail(fmt::format("expected a number of at least 0, found {:.6g}", at_defaults(value)));
  }
  require_not_negative(value);
  return value;
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

void MechanismText::check_bodies() {
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

}  // namespace kalaba::text_model
