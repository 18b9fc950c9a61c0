#include "scenario/model/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formula/graph/functions.hpp"

namespace kalaba::text_model {

using formula::Meaning;
using formula::Sort;
using formula::Span;
using formula::Value;

namespace {
constexpr std::size_t most_definitions = 100'000;
}

Definitions::Definitions(Draft& draft) : draft_(draft) {
  draft.names.define_by([this](int definition, long member, Span at) { return value(definition, member, at); });
  const auto table = draft.section("let");
  if (!table) return;
  const std::vector<Node> entries = table->entries();
  if (entries.size() > most_definitions) {
    table->fail(fmt::format("expected at most {} definitions, found {}", most_definitions, entries.size()));
  }
  for (const Node& node : entries) add(node);
}

void Definitions::add(const Node& node) {
  const Key key = read_key(node);
  const auto index = static_cast<int>(definitions_.size());
  if (formula::is_reserved(key.name)) {
    node.fail(fmt::format("{} means something in every expression; choose another name", key.name));
  }
  const Meaning* known = draft_.names.find(key.name);
  long members = 0;
  if (key.index) {
    const bool is_stated = known != nullptr && *key.index >= 1 && *key.index <= known->members;
    if (is_stated || draft_.names.has_element(key.name, *key.index)) {
      node.fail(fmt::format("{}[{}] is stated already", key.name, *key.index));
    }
    draft_.names.add_element(key.name, *key.index, index);
  } else {
    if (known != nullptr) node.fail(fmt::format("expected a new name; {} is stated already", key.name));
    if (key.is_family()) members = members_of(draft_, node, key);
    draft_.names.add(key.name,
                     {.sort = Sort::definition, .first = index, .stride = 0, .members = members, .over = key.over});
  }
  definitions_.push_back({read_written(node), key, members, {}});
}

Value Definitions::value(int definition, long member, Span at) {
  const auto& values = definitions_[static_cast<std::size_t>(definition)].values;
  if (const auto found = values.find(member); found != values.end()) return found->second;
  if (!active_.empty()) active_.back().at = at;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i].definition == definition && active_[i].member == member) fail_circle(i);
  }
  active_.push_back({definition, member, {}});
  const Value made = make(definition, member);
  active_.pop_back();
  definitions_[static_cast<std::size_t>(definition)].values[member] = made;
  return made;
}

Value Definitions::make(int index, long member) {
  const Definition& definition = definitions_[static_cast<std::size_t>(index)];
  formula::Bindings bindings;
  if (definition.members > 0) bindings.emplace_back(definition.key.counter, member);
  Wanted anything;
  anything.rules.allowed = ~0U;
  return take(draft_, definition.written, bindings, anything);
}

std::string Definitions::name(const Active& active) const {
  const Definition& definition = definitions_[static_cast<std::size_t>(active.definition)];
  const std::string& name = definition.key.name;
  if (definition.key.index) return fmt::format("{}[{}]", name, *definition.key.index);
  return definition.members > 0 ? fmt::format("{}[{}]", name, active.member) : name;
}

void Definitions::fail_circle(std::size_t begin) const {
  constexpr std::size_t most_shown = 8;
  std::string circle;
  for (std::size_t i = begin; i < active_.size(); ++i) {
    if (i < begin + most_shown) circle += name(active_[i]) + " -> ";
    if (i == begin + most_shown) circle += "... -> ";
  }
  const std::string first = name(active_[begin]);
  fail_at(definitions_[static_cast<std::size_t>(active_[begin].definition)].written.node,
          formula::Fault(first + " is defined by itself: " + circle + first, active_[begin].at));
}

void Definitions::finish() {
  for (std::size_t i = 0; i < definitions_.size(); ++i) {
    const long members = definitions_[i].members;
    if (members == 0) value(static_cast<int>(i), 0, {});
    for (long member = 1; member <= members; ++member) value(static_cast<int>(i), member, {});
  }
}

}  // namespace kalaba::text_model
