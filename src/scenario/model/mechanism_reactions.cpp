// Reactions of joints, and the forces on bodies from which they are computed.

#include "scenario/model/mechanism_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/traverse.hpp"
#include "mechanism/reactions.hpp"
#include "scenario/model/declarations.hpp"

namespace kalaba::text_model {

using formula::Id;
using formula::Unit;
using mechanism::Joint;
using mechanism::Vector;

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

}  // namespace kalaba::text_model
