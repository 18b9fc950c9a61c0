#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scenario/document/document.hpp"
#include "scenario/document/toml_text.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

/// Returns true if a value of this source was given on the command line.
bool is_override(const toml::source_region& source) { return source.path && source.path->starts_with("-s "); }

/// Sort key in order of the text: the file line by line, then the overrides.
auto position(const toml::node& node) {
  const toml::source_region& source = node.source();
  return std::tuple(is_override(source), source.begin.line, source.begin.column);
}

/// Returns the first value in a table. TOML++ creates the tables of an override's dotted key without a position.
const toml::node& first_written(const toml::node& node) {
  const toml::node* at = &node;
  while (!at->source().path && at->is_table() && !at->as_table()->empty()) at = &at->as_table()->begin()->second;
  return *at;
}

std::string describe(const toml::node& node) {
  constexpr std::size_t longest = 60;
  if (const auto* text = node.as_string()) {
    const std::string& value = text->get();
    return toml_string(value.size() <= longest ? value : value.substr(0, longest) + "...");
  }
  if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_integer()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (node.is_array()) return node.as_array()->empty() ? "an empty array" : "an array";
  if (node.is_table()) return node.as_table()->empty() ? "an empty table" : "a table";
  return "a date or time";
}

std::optional<double> finite_number(const toml::node& node) {
  const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

const toml::node& Node::written() const { return first_written(*node_); }

bool Node::is_override() const { return kalaba::is_override(written().source()); }

std::pair<long, long> Node::line_and_column() const {
  const toml::source_position& begin = written().source().begin;
  return {begin.line, begin.column};
}

Node::Node(const toml::node& node, std::string key)
    : node_(&node), key_(std::move(key)), name_(key_.substr(key_.rfind('.') + 1)) {}

std::string Node::place() const {
  const toml::source_region& source = written().source();
  if (!source.path) return "";
  return is_override() ? *source.path : fmt::format("{}:{}", *source.path, source.begin.line);
}

std::filesystem::path Node::folder() const {
  const toml::source_path_ptr path = written().source().path;
  return path && !is_override() ? std::filesystem::path(*path).parent_path() : std::filesystem::path();
}

std::string Node::found() const { return describe(*node_); }

std::string Node::where() const {
  const std::string at = place();
  if (at.empty()) return key_;
  return at.starts_with("-s " + key_ + "=") ? at : at + ": " + key_;
}

std::string Node::where(std::size_t line) const {
  const toml::source_region& source = written().source();
  if (!source.path || is_override() || !is_text()) return where();
  const std::string& value = node_->as_string()->get();
  const auto lines = static_cast<std::size_t>(std::count(value.begin(), value.end(), '\n'));
  const std::size_t written_lines = source.end.line - source.begin.line;
  const std::size_t before = written_lines > lines ? 1 : 0;  // without a line break after the opening quotes
  return fmt::format("{}:{}: {}", *source.path, source.begin.line + before + line, key_);
}

void Node::fail(const std::string& message, ExitCode code) const { throw Error(code, where() + ": " + message); }

void Node::expected(const std::string& what) const { fail("expected " + what + ", found " + found()); }

std::size_t Node::choice(const std::vector<std::string>& names) const {
  const std::string form = fmt::format("one of {}", fmt::join(names, ", "));
  if (!is_text()) expected(form);
  const std::string word = text();
  const auto chosen = std::ranges::find(names, word);
  if (chosen == names.end()) fail("expected " + form + ", found " + found() + suggestion(word, names));
  return static_cast<std::size_t>(chosen - names.begin());
}

double Node::number() const {
  const std::optional<double> value = finite_number(*node_);
  if (!value && node_->is_string()) {
    const std::string hint = bare_point_hint(node_->as_string()->get());
    if (!hint.empty()) fail("expected a number, found " + found() + hint);
  }
  if (!value) expected(node_->is_number() ? "a finite number" : "a number");
  return *value;
}

std::int64_t Node::integer(std::int64_t least, std::int64_t most) const {
  const std::string what = fmt::format("a whole number from {} to {}", least, most);
  std::int64_t value = 0;
  if (node_->is_integer()) {
    value = node_->as_integer()->get();
  } else {
    const std::optional<double> real = finite_number(*node_);
    constexpr double beyond = 9223372036854775808.0;
    if (!real || *real != std::trunc(*real) || std::abs(*real) >= beyond) expected(what);
    value = static_cast<std::int64_t>(*real);
  }
  if (value < least || value > most) expected(what);
  return value;
}

bool Node::boolean() const {
  if (!node_->is_boolean()) expected("true or false");
  return node_->as_boolean()->get();
}

std::string Node::text() const {
  if (!node_->is_string()) expected("text");
  if (node_->as_string()->get().empty()) expected("text that is not empty");
  return node_->as_string()->get();
}

std::vector<double> Node::numbers() const {
  if (!node_->is_array()) expected("an array of numbers");
  std::vector<double> values;
  values.reserve(node_->as_array()->size());
  for (const toml::node& item : *node_->as_array()) {
    const std::optional<double> value = finite_number(item);
    if (!value) fail(fmt::format("item {}: expected a finite number, found {}", values.size() + 1, describe(item)));
    values.push_back(*value);
  }
  return values;
}

std::vector<double> Node::number_list() const {
  if (const std::optional<double> value = finite_number(*node_)) return {*value};
  return numbers();
}

void Node::refuse_bare_number() const {
  const std::string hint = bare_point_hint(text());
  if (hint.empty() || text().find_first_not_of("+-.0123456789eE") != std::string::npos) return;
  fail("expected a number, found " + found() + hint);
}

std::vector<std::string> Node::texts() const {
  if (is_text()) return {text()};
  if (!node_->is_array()) expected("an array of texts");
  std::vector<std::string> values;
  for (const toml::node& item : *node_->as_array()) {
    if (!item.is_string()) fail(fmt::format("item {}: expected text, found {}", values.size() + 1, describe(item)));
    values.push_back(item.as_string()->get());
  }
  return values;
}

std::vector<std::string> Node::distinct_texts() const {
  std::vector<std::string> values = texts();
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (std::find(values.begin(), value, *value) != value) {
      fail(fmt::format("expected each once, found \"{}\" twice", *value));
    }
  }
  return values;
}

std::vector<Node> Node::items(const std::string& what) const {
  if (!node_->is_array()) expected(what);
  std::vector<Node> nodes;
  for (const toml::node& item : *node_->as_array()) {
    nodes.emplace_back(item, fmt::format("{}[{}]", key_, nodes.size() + 1));
  }
  return nodes;
}

std::string Node::to_toml() const {
  std::vector<std::string> parts;
  if (is_table()) {
    for (const Node& entry : entries()) parts.push_back(toml_key(entry.name()) + " = " + entry.to_toml());
    return parts.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
  }
  if (node_->is_array()) {
    for (const Node& item : items()) parts.push_back(item.to_toml());
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (const auto* value = node_->as_string()) return toml_string(value->get());
  if (const auto* value = node_->as_floating_point()) return toml_number(value->get());
  if (const auto* value = node_->as_integer()) return fmt::format("{}", value->get());
  if (const auto* value = node_->as_boolean()) return value->get() ? "true" : "false";
  expected("text, a number, true or false, an array or a table");
}

std::vector<Node> Node::entries() const {
  if (!node_->is_table()) expected("a table");
  std::vector<Node> nodes;
  for (auto&& [key, value] : *node_->as_table()) {
    const std::string name(key.str());
    nodes.emplace_back(value, key_.empty() ? toml_key(name) : key_ + "." + toml_key(name), name);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const Node& a, const Node& b) { return position(a.written()) < position(b.written()); });
  return nodes;
}

}  // namespace kalaba
