#include "scenario/model/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formula/graph/functions.hpp"

namespace kalaba::text_model {
namespace {

using formula::Meaning;
using formula::Sort;

void check_new(const Draft& draft, const Node& node, const Key& key, const std::vector<Declared>& before) {
  if (formula::is_reserved(key.name)) {
    node.fail(fmt::format("{} means something in every expression; choose another name", key.name));
  }
  const auto has_name = [&](const Declared& each) { return each.key.name == key.name; };
  if (draft.names.find(key.name) != nullptr || std::ranges::any_of(before, has_name)) {
    node.fail(fmt::format("expected a new name; {} is stated already", key.name));
  }
  if (key.index) node.fail(fmt::format("expected a name or a family such as \"{}[i in links]\"", key.name));
}

/// Assigns indices to the entries [begin, end), interleaved member by member.
int interleave(std::vector<Declared>& entries, std::size_t begin, std::size_t end, int first) {
  const auto together = static_cast<int>(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    entries[i].meaning.first = first + static_cast<int>(i - begin);
    entries[i].meaning.stride = together;
  }
  return first + together * static_cast<int>(std::max(entries[begin].meaning.members, 1L));
}

void place(std::vector<Declared>& entries) {
  int first = 0;
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    if (entries[begin].key.is_family()) {
      while (end < entries.size() && entries[end].key.over == entries[begin].key.over) ++end;
    }
    first = interleave(entries, begin, end, first);
    begin = end;
  }
}

}  // namespace

void refuse_column(const Node& node, const std::string& name) {
  constexpr std::array columns = {"time",      "member", "status",     "energy",       "residual",
                                  "violation", "rank",   "sigma_kept", "sigma_dropped"};
  if (std::ranges::find(columns, name) == columns.end()) return;
  node.fail(fmt::format("outputs have a column {} already; choose another name", name));
}

std::vector<Declared> declare(const Draft& draft, const Node& table, Sort sort) {
  std::vector<Declared> entries;
  long total = 0;
  for (const Node& node : table.entries()) {
    const Key key = read_key(node);
    check_new(draft, node, key, entries);
    if (sort != Sort::definition) refuse_column(node, key.name);
    Meaning meaning;
    meaning.sort = sort;
    if (key.is_family()) {
      meaning.members = members_of(draft, node, key);
      meaning.over = key.over;
    }
    total += std::max(meaning.members, 1L);
    if (total > most_variables) {
      node.fail(fmt::format("a model has at most {} of these; with this there are {}", most_variables, total));
    }
    entries.push_back({node, key, meaning});
  }
  place(entries);
  return entries;
}

int count_of(const std::vector<Declared>& declared) {
  int count = 0;
  for (const Declared& each : declared) count += static_cast<int>(std::max(each.meaning.members, 1L));
  return count;
}

formula::Bindings bindings_of(const Declared& each, long member) {
  if (each.meaning.members == 0) return {};
  return {{each.key.counter, member}};
}

std::string label(const std::string& name, long member) {
  constexpr std::string_view dot = "_dot";
  if (member == 0) return name;
  if (name.size() <= dot.size() || !name.ends_with(dot)) return fmt::format("{}{}", name, member);
  return fmt::format("{}{}{}", name.substr(0, name.size() - dot.size()), member, dot);
}

std::vector<Variable> labelled(const std::vector<Declared>& declared) {
  std::vector<Variable> variables(static_cast<std::size_t>(count_of(declared)));
  for (const Declared& each : declared) {
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      variables[static_cast<std::size_t>(each.meaning.at(i))].name =
          label(each.key.name, each.meaning.members > 0 ? i : 0);
    }
  }
  return variables;
}

}  // namespace kalaba::text_model
