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

/// Upper bounds of the values of a scenario.
inline constexpr long most_members = 1'000'000'000'000;
inline constexpr long most_steps = 1'000'000'000'000;
inline constexpr long most_saved_times = 100'000'000;

/// Value of a document, under its full key. Every error message names the place of the value in the text. Valid while
/// its document exists.
class Node {
 public:
  Node(const toml::node& node, std::string key);
  /// `name`: the last word of the key, in quotes if TOML requires them.
  Node(const toml::node& node, std::string key, std::string name)
      : node_(&node), key_(std::move(key)), name_(std::move(name)) {}

  /// This value under the key of `other`, for messages that must name that key.
  Node called_as(const Node& other) const { return {*node_, other.key_, other.name_}; }

  const std::string& key() const { return key_; }
  const std::string& name() const { return name_; }  ///< the last word of the key
  std::string place() const;                  ///< "scenario.toml:12", "-s time.end=3", or "" if it was not written
  std::string where() const;                  ///< beginning of an error message: place and key
  std::string where(std::size_t line) const;  ///< likewise, for a line, from 0, of a text of several lines
  std::filesystem::path folder() const;       ///< base folder of relative paths: the file's folder; "" for an override

  bool is_override() const;  ///< given on the command line
  std::pair<long, long> line_and_column() const;
  bool is_number() const { return node_->is_number(); }
  bool is_text() const { return node_->is_string(); }
  bool is_boolean() const { return node_->is_boolean(); }
  bool is_array() const { return node_->is_array(); }
  bool is_table() const { return node_->is_table(); }

  double number() const;  ///< finite
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  bool boolean() const;
  std::string text() const;                 ///< not empty
  std::vector<double> numbers() const;      ///< an array of finite numbers
  std::vector<double> number_list() const;  ///< an array of finite numbers, or one number alone
  /// Fails for a text that is a number such as .5, which is not valid TOML and would be a number without a unit.
  void refuse_bare_number() const;
  std::vector<std::string> texts() const;           ///< an array of strings, or one string alone
  std::vector<std::string> distinct_texts() const;  ///< an array of different strings, or one string alone
  std::vector<Node> entries() const;                ///< entries of a table, in the order of the text
  /// Elements of an array, with keys KEY[1], KEY[2], ...; fails with "expected `what`" for another value.
  std::vector<Node> items(const std::string& what = "an array") const;
  std::string found() const;  ///< description of the value for a message
  /// The value as TOML in one line; tables and arrays too, with keys in the order of the text.
  std::string to_toml() const;
  /// Index in `names` of the text; fails with all names, and the nearest one, if the text is not among them.
  std::size_t choice(const std::vector<std::string>& names) const;

  [[noreturn]] void fail(const std::string& message, ExitCode code = ExitCode::bad_input) const;
  [[noreturn]] void expected(const std::string& what) const;  ///< fails with "expected …, found …"

 private:
  const toml::node& written() const;

  const toml::node* node_;
  std::string key_;
  std::string name_;
};

/// Returns the element of `values` whose name, name(value), equals the text; see Node::choice.
template <class Value, class Name>
Value choice(const Node& node, std::initializer_list<Value> values, const Name& name) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(name(value));
  return values.begin()[node.choice(names)];
}

/// Returns true if the text is valid UTF-8, as TOML requires.
bool is_utf8(const std::string& text);

/// Parsed scenario with the overrides of the command line applied to it. Keys are full: "time.end".
class Document {
 public:
  /// Throws Error if the file cannot be read (16 MiB at most) or is not TOML.
  static Document read_file(const std::string& path);
  /// Parses a text; messages name it `name`.
  static Document of_text(const std::string& text, const std::string& name);
  static Document of_system(const std::string& name);

  /// Sets the numbers of { array = "NAME" }; they must outlive the document.
  void give(const GivenArrays& arrays) { arrays_ = &arrays; }
  const GivenArrays& arrays() const;

  /// Applies overrides "key=value". A value that is not TOML is taken as text without quotes.
  void apply(const std::vector<std::string>& overrides);

  /// Returns the value of a key, if present, and marks the key as known.
  std::optional<Node> find(const std::string& key);
  /// Returns the value of a key, if present, without marking the key as known.
  std::optional<Node> written(const std::string& key) const;
  /// Sort key of a value by its position: first the file from top to bottom, then the overrides in their order.
  std::tuple<std::size_t, long, long> order_of(const Node& node) const;
  std::vector<Node> entries() const { return Node(root_, "").entries(); }
  /// Fails on the first key of the document that `find` never requested.
  void refuse_unknown_keys() const;
  /// Fails at the key that is probably misspelled, or with the file name alone if there is none.
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
  std::vector<std::string> origins_;  // of the overrides, as Node::place returns them
};

}  // namespace kalaba
