#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kalaba/error.hpp"
#include "scenario/document/given_arrays.hpp"
#include "scenario/document/toml.hpp"

namespace kalaba {

/// A value of a document, under its full key. Every complaint names where it was written. Valid while its document is.
class Node {
 public:
  Node(const toml::node& node, std::string key);
  /// `name`: the last word of the key, which has it in quotes where TOML would.
  Node(const toml::node& node, std::string key, std::string name)
      : node_(&node), key_(std::move(key)), name_(std::move(name)) {}

  /// The value, under the key of another: of `is` in the table that says more of one thing.
  Node called_as(const Node& other) const { return {*node_, other.key_, other.name_}; }

  const std::string& key() const { return key_; }
  const std::string& name() const { return name_; }  ///< the last word of the key
  std::string place() const;                  ///< "scenario.toml:12", "-s time.end=3", or "" if it was not written
  std::string where() const;                  ///< how a complaint begins: place and key
  std::string where(std::size_t line) const;  ///< of a line of the text, from 0, that the value is
  std::filesystem::path folder() const;       ///< where relative paths start: the file's folder; "" for an override

  bool is_override() const;  ///< written on the command line
  std::pair<long, long> line_and_column() const;
  bool is_number() const { return node_->is_number(); }
  bool is_text() const { return node_->is_string(); }
  bool is_boolean() const { return node_->is_boolean(); }
  bool is_array() const { return node_->is_array(); }
  bool is_table() const { return node_->is_table(); }

  double number() const;  ///< finite
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  bool boolean() const;
  std::string text() const;                         ///< not empty
  std::vector<double> numbers() const;              ///< an array of finite numbers
  /// Refuses a text that is a number such as .5, which TOML does not know and which would be one without a unit.
  void refuse_bare_number() const;
  std::vector<std::string> texts() const;           ///< an array of strings, or one string alone
  std::vector<std::string> distinct_texts() const;  ///< the same, each there once
  std::vector<Node> entries() const;                ///< of a table, in the order they were written
  /// Of an array, else fails with "expected `what`"; their keys are KEY[1], KEY[2], ...
  std::vector<Node> items(const std::string& what = "an array") const;
  std::string found() const;  ///< the value in a message's words
  /// The value as TOML in one line; tables and arrays too, their keys in the order of writing.
  std::string to_toml() const;
  /// The index of the one of `names` that the text is; else fails with all of them, and the nearest.
  std::size_t choice(const std::vector<std::string>& names) const;

  [[noreturn]] void fail(const std::string& message, ExitCode code = ExitCode::bad_input) const;
  [[noreturn]] void expected(const std::string& what) const;  ///< fails with "expected …, found …"

 private:
  const toml::node& written() const;

  const toml::node* node_;
  std::string key_;
  std::string name_;
};

/// Of `values` the one whose name, name(value), the text is; see Node::choice.
template <class Value, class Name>
Value choice(const Node& node, std::initializer_list<Value> values, const Name& name) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(name(value));
  return values.begin()[node.choice(names)];
}

/// Whether TOML can hold the text.
bool is_utf8(const std::string& text);

/// A scenario as it was written, with the overrides of the command line laid over it. Keys are full: "time.end".
class Document {
 public:
  /// Throws Error when the file cannot be read (16 MiB at most) or is not TOML.
  static Document read_file(const std::string& path);
  /// A text that was read from elsewhere, which messages call `name`.
  static Document of_text(const std::string& text, const std::string& name);
  static Document of_system(const std::string& name);

  /// Numbers that { array = "NAME" } has; they must outlive the document.
  void give(const GivenArrays& arrays) { arrays_ = &arrays; }
  const GivenArrays& arrays() const;

  /// Lays "key=value" over the document. A value that is not TOML is taken as text without quotes.
  void apply(const std::vector<std::string>& overrides);

  /// The value of a key, if there is one. The key counts as known from then on.
  std::optional<Node> find(const std::string& key);
  /// Where a value stands among all that are written: the file's from the top down, then the overrides in their order.
  std::tuple<std::size_t, long, long> order_of(const Node& node) const;
  std::vector<Node> entries() const { return Node(root_, "").entries(); }
  /// Fails on the first key that was never asked for.
  void refuse_unknown_keys() const;
  /// Fails with the file's name alone, or at the key that was probably meant.
  [[noreturn]] void fail_missing(const std::string& key, const std::string& message) const;

 private:
  void apply_one(const std::string& text);
  void lay_over(const std::string& key, toml::table&& written);
  [[noreturn]] void refuse(const Node& unknown) const;

  std::string name_;
  toml::table root_;
  const GivenArrays* arrays_ = nullptr;
  std::set<std::string> known_;
  std::vector<std::string> overridden_;
  std::vector<std::string> origins_;  // of the overrides, as nodes tell their place
};

}  // namespace kalaba
