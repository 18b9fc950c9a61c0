#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formula/syntax.hpp"
#include "scenario/document/document.hpp"

namespace kalaba::text_model {

/// An expression as a document has it: a text, or a bare number, whose unit is not known.
struct Written {
  Node node;
  std::optional<double> number;
  formula::Syntax syntax;
};

/// Of a text or a finite number. Throws Error.
Written read_written(const Node& node);
/// Of a text "left = right".
Written read_equation(const Node& node);

/// Ends with what is wrong with the node's text: the place, the message, the nearest word, the expression with carets.
[[noreturn]] void fail_at(const Node& node, const formula::Fault& fault);

/// Calls `work`; what it throws of an expression becomes an Error at the node.
template <class Work>
auto placed(const Node& node, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const formula::Fault& fault) {
    fail_at(node, fault);
  }
}

/// The entry of a table under this name, if it has one.
std::optional<Node> entry_of(const Node& table, const std::string& name);
/// Fails at an entry that is none of these, naming the nearest.
void refuse_other_keys(const Node& table, const std::vector<std::string>& keys);

/// Words of a text for people, with spaces for what breaks lines.
std::string in_one_line(std::string text);

/// A name, or a family of them: "x", "x[i in links]", "x[0]".
struct Key {
  std::string name;
  std::string counter;        ///< of a family
  std::string over;           ///< of a family
  std::optional<long> index;  ///< of one of a family

  bool is_family() const { return !counter.empty(); }
};
/// Throws Error for a key that is no such thing.
Key read_key(const Node& node);

}  // namespace kalaba::text_model
