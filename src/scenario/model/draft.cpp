#include "scenario/model/draft.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"
#include "text/nearest.hpp"

namespace kalaba::text_model {

using formula::Bindings;
using formula::Fault;
using formula::Meaning;
using formula::Sort;
using formula::Span;
using formula::Unit;
using formula::Value;

Unit Draft::force_unit(int rate) const {
  const Unit& unit = rate_units[static_cast<std::size_t>(rate)];
  if (statement.info.formulation == Formulation::hamilton) return unit / second;
  return energy / (unit * second);
}

formula::Id Draft::of_rates(formula::Id id) {
  return velocities.empty() ? id : formula::substitute(graph, id, velocities);
}

void Draft::require(formula::Id condition) {
  const auto& valid = statement.valid;
  statement.valid = valid ? graph.binary(formula::Op::both, *valid, condition) : condition;
}

Value take(Draft& draft, const Written& written, const Bindings& bindings, const Wanted& wanted,
           std::vector<std::pair<Span, formula::Id>>* leaves) {
  if (written.number) return {draft.graph.number(*written.number), wanted.unit.value_or(draft.units.fresh())};
  return placed(written.node, [&] {
    formula::Lowered lowered = draft.lowering.number(written.syntax, bindings, wanted.rules);
    const Value value = lowered.value;
    if (wanted.unit && !draft.units.unify(value.unit, *wanted.unit)) {
      Fault fault(fmt::format("{} is {}, and this is {}", wanted.what, draft.units.said(*wanted.unit),
                              draft.units.said(value.unit)),
                  Span{0, written.syntax.text.size()});
      fault.note = draft.lowering.with_time(*wanted.unit, value.unit, written.syntax.root(), written.syntax);
      throw fault;
    }
    if (leaves != nullptr) *leaves = lowered.leaves;
    if (draft.uses_go_to != nullptr)
      draft.uses_go_to->push_back({written.node, written.syntax, "", std::move(lowered)});
    return value;
  });
}

long members_of(const Draft& draft, const Node& node, const Key& key) {
  const std::optional<long> count = draft.names.count(key.over);
  if (!count) {
    const std::vector<std::string> counts = draft.names.counts();
    node.fail(fmt::format("there is no count {} under [model.structure]{}", key.over, suggestion(key.over, counts)));
  }
  if (draft.names.find(key.counter) != nullptr || formula::is_reserved(key.counter)) {
    node.fail(fmt::format("expected a counter that is no other name, found {}", key.counter));
  }
  return *count;
}

namespace {

std::string sorts_text(const Draft& draft, const std::vector<Sort>& sorts) {
  std::string text;
  for (const Sort sort : sorts) {
    const std::string word = sort == Sort::coordinate ? "coordinate" : "rate";
    if (!text.empty()) text += " or ";
    text += word == "rate" && draft.rates_word == "momenta" ? "momentum" : word;
  }
  return text;
}

const Meaning& meaning_of(const Draft& draft, const Node& node, const std::string& name, const std::vector<Sort>& sorts,
                          const std::string& kind) {
  const Meaning* found = draft.names.find(name);
  if (found != nullptr && std::ranges::count(sorts, found->sort) > 0) return *found;
  std::vector<std::string> names;
  for (const Sort sort : sorts) {
    const auto& variables = sort == Sort::coordinate ? draft.statement.info.coordinates : draft.statement.info.rates;
    for (const Variable& each : variables) names.push_back(each.name);
  }
  node.fail(
      fmt::format("{} is by {}, and {} is none{}", kind, sorts_text(draft, sorts), name, suggestion(name, names)));
}

}  // namespace

std::vector<Target> targets_of(const Draft& draft, const Node& node, const std::vector<Sort>& sorts,
                               const std::string& kind) {
  const Key key = read_key(node);
  const Meaning& meaning = meaning_of(draft, node, key.name, sorts, kind);
  if (meaning.members == 0) {
    if (key.is_family() || key.index) node.fail(fmt::format("{} is no family; write {}", key.name, key.name));
    return {{meaning.first, {}}};
  }
  if (key.index) {
    if (*key.index < 1 || *key.index > meaning.members) {
      node.fail(fmt::format("{} goes from {}[1] to {}[{}]", key.name, key.name, key.name, meaning.members));
    }
    return {{meaning.at(*key.index), {}}};
  }
  if (!key.is_family() || key.over != meaning.over) {
    node.fail(fmt::format("{0} is a family over {1}; write \"{0}[i in {1}]\"", key.name, meaning.over));
  }
  std::vector<Target> targets;
  const long members = members_of(draft, node, key);
  for (long i = 1; i <= members; ++i) targets.push_back({meaning.at(i), {{key.counter, i}}});
  return targets;
}

}  // namespace kalaba::text_model
