#include "scenario/agent_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "scenario/document/toml_text.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

/// Reads "0-9" as first = 0, last = 9.
bool read_range(const std::string& text, long& first, long& last) {
  const char* const end = text.data() + text.size();
  const auto [dash, error] = std::from_chars(text.data(), end, first);
  if (error != std::errc() || dash == end || *dash != '-') return false;
  const auto [stop, wrong] = std::from_chars(dash + 1, end, last);
  return wrong == std::errc() && stop == end && 0 <= first && first <= last;
}

std::vector<long> read_which(const Node& node, long agents) {
  std::vector<long> which;
  if (node.is_text()) {
    long first = 0;
    long last = 0;
    if (!read_range(node.text(), first, last)) node.expected("agents by number: [0, 5] or \"0-9\"");
    if (last >= agents) node.fail(fmt::format("expected agents from 0 to {}, found {}", agents - 1, last));
    which.resize(static_cast<std::size_t>(last - first + 1));
    std::iota(which.begin(), which.end(), first);
    return which;
  }
  if (node.is_number()) return {node.integer(0, agents - 1)};
  for (const Node& item : node.items("agents by number: [0, 5] or \"0-9\"")) {
    which.push_back(item.integer(0, agents - 1));
  }
  if (which.empty()) node.expected("agents by number: [0, 5] or \"0-9\"");
  std::ranges::sort(which);
  const auto twice = std::ranges::adjacent_find(which);
  if (twice != which.end()) node.fail(fmt::format("agent {} is named twice", *twice));
  return which;
}

std::string which_toml(const std::vector<long>& which) {
  const bool is_range = which.back() - which.front() + 1 == static_cast<long>(which.size());
  if (is_range && which.size() > 2) return fmt::format("\"{}-{}\"", which.front(), which.back());
  return fmt::format("[{}]", fmt::join(which, ", "));
}

std::string value_toml(const Node& node) {
  if (node.is_text()) return toml_string(node.text());
  if (node.is_number()) return toml_number(node.number());
  std::vector<std::string> numbers;
  for (const double number : node.numbers()) numbers.push_back(toml_number(number));
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace

AgentTable::AgentTable(const Node& table, long agents, int dimension)
    : table_(table), entries_(table.entries()), dimension_(static_cast<std::size_t>(dimension)) {
  if (!has("which")) {
    refuse_other_keys({"constraint"}, "");
    missing("which", "the agents by number: [0, 5] or \"0-9\"");
  }
  which_ = read_which(node("which"), agents);
}

bool AgentTable::has(const std::string& name) const {
  return std::ranges::any_of(entries_, [&](const Node& entry) { return entry.name() == name; });
}

Node AgentTable::node(const std::string& name) const {
  return *std::ranges::find_if(entries_, [&](const Node& entry) { return entry.name() == name; });
}

double AgentTable::number(const std::string& name) const {
  if (!has(name)) missing(name, "a number");
  return node(name).number();
}

std::vector<double> AgentTable::numbers_of(const std::string& name) const {
  const Node entry = node(name);
  std::vector<double> numbers = entry.numbers();
  if (numbers.size() == dimension_) return numbers;
  entry.fail(fmt::format("expected {} numbers, one for each axis, found {}", dimension_, numbers.size()));
}

double AgentTable::length_of(const std::string& name, const double* numbers, int count) const {
  double length = 0;
  for (int d = 0; d < count; ++d) length = std::hypot(length, numbers[d]);
  if (!(length > 0) || !std::isfinite(length)) node(name).fail("expected a direction, found one of length 0");
  return length;
}

void AgentTable::missing(const std::string& name, const std::string& what) const {
  table_.fail(fmt::format("{} is missing: {}", name, what));
}

void AgentTable::refuse_other_keys(const std::vector<std::string>& keys, const std::string& of) const {
  std::vector<std::string> known = {"which", "constraint"};
  known.insert(known.end(), keys.begin(), keys.end());
  for (const Node& entry : entries_) {
    if (std::ranges::count(known, entry.name()) > 0) continue;
    std::string meant = suggestion(entry.name(), known);
    if (meant.empty()) meant = fmt::format("; {} has {}", of, fmt::join(known, ", "));
    entry.fail("unknown key" + meant);
  }
}

std::string AgentTable::to_toml() const {
  std::string text = fmt::format("\n[[agents]]\nwhich = {}\n", which_toml(which_));
  for (const Node& entry : entries_) {
    if (entry.name() == "which") continue;
    text += fmt::format("{} = {}\n", entry.name(), entry.name() == shown_.first ? shown_.second : value_toml(entry));
  }
  return text;
}

}  // namespace kalaba
