#include <fmt/format.h>

#include <algorithm>

#include "kalaba/system.hpp"
#include "scenario/model/contacts.hpp"
#include "scenario/model/mechanics.hpp"
#include "scenario/model/variables.hpp"
#include "text/nearest.hpp"

namespace kalaba::text_model {
namespace {

using formula::Equation;
using formula::Rules;
using formula::Sort;
using formula::Value;

/// Attributes of an entry besides its expression.
struct Said {
  Node is;
  std::string meaning;
  std::optional<Node> kind;   ///< of an invariant
  std::optional<Node> holds;  ///< of a constraint: the discrete variable that is zero while it does not hold
};

Said read_said(const Node& node, bool is_equation, bool has_kind) {
  if (!node.is_table()) return {node, "", std::nullopt, std::nullopt};
  std::vector<std::string> keys = {"is", "meaning"};
  if (has_kind) keys.emplace_back("kind");
  if (is_equation) keys.emplace_back("while");
  refuse_other_keys(node, keys);
  const auto is = entry_of(node, "is");
  if (!is) node.fail(std::string("is is missing; add is = \"") + (is_equation ? "left = right" : "...") + "\"");
  const auto meaning = entry_of(node, "meaning");
  return {is->called_as(node), meaning ? in_one_line(meaning->text()) : "", entry_of(node, "kind"),
          entry_of(node, "while")};
}

/// Checks that the name of a constraint or an invariant is new: both share one set of names.
void note_row(Draft& draft, const Node& node, const std::string& name, const formula::Unit& unit) {
  if (!draft.row_units.try_emplace(name, unit).second) {
    node.fail(fmt::format("expected a new name; {} is stated already", name));
  }
}

/// The discrete variable that `while` names, for a member of the family of a constraint (0: none). A row is multiplied
/// by it: a row of zeros is no constraint.
formula::Id mode_of(Draft& draft, const Node& node, const formula::Meaning& constraint, long member) {
  const std::string name = node.text();
  const formula::Meaning* const found = draft.names.find(name);
  const SystemInfo& info = draft.statement.info;
  if (found == nullptr || found->sort != Sort::parameter || found->first < info.first_discrete()) {
    std::vector<std::string> words;
    for (std::size_t i = static_cast<std::size_t>(info.first_discrete()); i < info.parameters.size(); ++i) {
      if (!is_internal(info.parameters[i])) words.push_back(info.parameters[i].name);
    }
    node.fail(fmt::format("expected the name of a discrete variable ([model.discrete]), found {}{}", node.found(),
                          suggestion(name, words)));
  }
  if (found->members > 0 && found->members != constraint.members) {
    const auto said = [](const formula::Meaning& of) {
      return of.members == 0 ? std::string("no family") : fmt::format("a family over {} = {}", of.over, of.members);
    };
    node.fail(fmt::format("{} is {}, and the constraint is {}", name, said(*found), said(constraint)));
  }
  return draft.graph.symbol(formula::Op::parameter, found->members > 0 ? found->at(member) : found->first);
}

/// Reads one row per constraint, or one per member of a family. `work`: unit of a multiplier times a row.
std::vector<Equation> read_rows(Draft& draft, const Node& table, const Rules& rules, const formula::Unit& work) {
  const std::vector<Declared> declared = declare(draft, table, Sort::definition);
  std::vector<Equation> rows(static_cast<std::size_t>(count_of(declared)));
  std::vector<std::pair<std::pair<std::string, long>, formula::Unit>> units(rows.size());  // of multipliers
  for (const Declared& each : declared) {
    const Said said = read_said(each.node, true, false);
    const Written written = read_equation(said.is);
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      Equation& row = rows[static_cast<std::size_t>(each.meaning.at(i))];
      row.name = label(each.key.name, each.meaning.members > 0 ? i : 0);
      row.meaning = said.meaning;
      formula::Lowered lowered =
          placed(said.is, [&] { return draft.lowering.equation(written.syntax, bindings_of(each, i), rules); });
      row.value = draft.of_rates(lowered.value.id);
      if (said.holds) {
        const formula::Id mode = mode_of(draft, *said.holds, each.meaning, i);
        row.value = draft.graph.multiply(mode, row.value);
      }
      lowered.value.id = row.value;
      note_row(draft, each.node, row.name, lowered.value.unit);
      units[static_cast<std::size_t>(each.meaning.at(i))] = {{each.key.name, each.meaning.members > 0 ? i : 0},
                                                             work / lowered.value.unit};
      draft.uses.push_back({said.is, written.syntax, row.name, std::move(lowered)});
    }
  }
  for (auto& [name, unit] : units) draft.names.add_multiplier(name.first, name.second, std::move(unit));
  return rows;
}

Invariance kind_of(const std::optional<Node>& node) {
  constexpr Invariance kinds[] = {Invariance::zero, Invariance::constant, Invariance::free};
  return node ? kinds[node->choice({"zero", "constant", "free"})] : Invariance::constant;
}

/// Reads named numbers of the state: [model.invariants], which have a kind, or [model.outputs], which are free.
void read_named_numbers(Draft& draft, const Node& table, bool has_kind) {
  const std::vector<Declared> declared = declare(draft, table, Sort::definition);
  formula::Statement& statement = draft.statement;
  const std::size_t first = statement.invariants.size();
  statement.invariants.resize(first + static_cast<std::size_t>(count_of(declared)));
  statement.info.invariance.resize(statement.invariants.size());
  Wanted wanted;
  wanted.rules.allowed = formula::on_state;
  wanted.rules.whose = has_kind ? "an invariant" : "an output";
  wanted.rules.made_of = "t, coordinates and " + draft.rates_word;
  for (const Declared& each : declared) {
    refuse_column(each.node, each.key.name);
    const Said said = read_said(each.node, false, has_kind);
    const Written written = read_written(said.is);
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      const std::size_t at = first + static_cast<std::size_t>(each.meaning.at(i));
      const Value value = take(draft, written, bindings_of(each, i), wanted);
      const std::string name = label(each.key.name, each.meaning.members > 0 ? i : 0);
      statement.invariants[at] = {name, "", said.meaning, draft.of_rates(value.id)};
      statement.info.invariance[at] = has_kind ? kind_of(said.kind) : Invariance::free;
      note_row(draft, each.node, name, value.unit);
    }
  }
}

}  // namespace

void read_constraints(Draft& draft) {
  const auto add = [&](std::vector<Equation> rows) {
    std::vector<Equation>& all = draft.statement.holonomic;
    all.insert(all.end(), rows.begin(), rows.end());
  };
  if (const auto table = draft.section("couplings")) {
    Rules rules;
    rules.allowed = formula::on_positions;
    rules.whose = "a coupling";
    rules.made_of = "t and coordinates";
    rules.rates = draft.rates_word;
    add(read_rows(draft, *table, rules, draft.energy));
  }
  if (const auto table = draft.section("holonomic")) {
    Rules rules;
    rules.allowed = formula::on_positions;
    rules.whose = "a holonomic constraint";
    rules.made_of = "t and coordinates";
    rules.note = "what restrains rates stands under [model.nonholonomic]";
    rules.rates = draft.rates_word;
    add(read_rows(draft, *table, rules, draft.energy));
  }
  read_contacts(draft);
  if (const auto table = draft.section("nonholonomic")) {
    Rules rules;
    rules.allowed = formula::on_state;
    rules.whose = "a nonholonomic constraint";
    rules.made_of = "t, coordinates and " + draft.rates_word;
    draft.statement.nonholonomic = read_rows(draft, *table, rules, draft.energy / draft.second);
  }
  read_friction(draft);
}

void read_observables(Draft& draft) {
  if (const auto node = draft.section("energy")) {
    const Wanted wanted{{.allowed = formula::on_state, .whose = "an energy", .made_of = "t, coordinates and rates"},
                        draft.energy,
                        "an energy"};
    draft.statement.energy = draft.of_rates(take(draft, read_written(*node), {}, wanted).id);
  }
  if (const auto node = draft.section("valid")) {
    const Written written = read_written(*node);
    if (written.number) node->expected("a comparison such as \"x > 0\"");
    const Rules rules{.allowed = formula::on_state, .whose = "valid", .made_of = "t, coordinates and rates"};
    const formula::Lowered lowered = placed(*node, [&] { return draft.lowering.mask(written.syntax, {}, rules); });
    draft.require(draft.of_rates(lowered.value.id));
  }
  if (const auto table = draft.section("invariants")) read_named_numbers(draft, *table, true);
  if (const auto table = draft.section("outputs")) read_named_numbers(draft, *table, false);
}

}  // namespace kalaba::text_model
