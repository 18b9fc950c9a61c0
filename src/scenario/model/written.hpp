#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formula/text/syntax.hpp"
#include "scenario/document/document.hpp"

namespace kalaba::text_model {

/// Expression in a document: a text, or a number without a unit.
struct Written {
  Node node;
  std::optional<double> number;
  formula::Syntax syntax;
};

/// Reads a text or a finite number. Throws Error.
Written read_written(const Node& node);
/// Reads a text "left = right". Throws Error.
Written read_equation(const Node& node);

/// Fails with a complete message on the node's text: place, problem, nearest word, and the expression with carets.
[[noreturn]] void fail_at(const Node& node, const formula::Fault& fault);

/// Calls `work`; converts a Fault of an expression to an Error at the node.
template <class Work>
auto placed(const Node& node, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const formula::Fault& fault) {
    fail_at(node, fault);
  }
}

/// Entry of a table with this name, if present.
std::optional<Node> entry_of(const Node& table, const std::string& name);
/// Fails at a key that is not in `keys`, naming the nearest.
void refuse_other_keys(const Node& table, const std::vector<std::string>& keys);

/// Replaces line breaks by spaces.
std::string in_one_line(std::string text);

/// A name, or a family of them: "x", "x[i in links]", "x[0]".
struct Key {
  std::string name;
  std::string counter;        ///< of a family; else empty
  std::string over;           ///< of a family; else empty
  std::optional<long> index;  ///< of one member of a family

  bool is_family() const { return !counter.empty(); }
};
/// Throws Error for a key that is not of this form.
Key read_key(const Node& node);

}  // namespace kalaba::text_model
