#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "formula/graph/graph.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

enum class Notation { text, latex };

/// Writes expressions in the grammar of models or in LaTeX. In long expressions, shared and deeply nested parts get
/// names (e1, e2 …).
class Printer {
 public:
  /// For these expressions of a system.
  Printer(const Graph& graph, const SystemInfo& info, Notation notation, std::span<const Id> roots);

  std::string operator()(Id id) const;
  /// Returns the shared subexpressions, "e1 = …", each before those that use it.
  std::vector<std::string> parts() const;
  std::string name(const std::string& word) const;  ///< a name of the system in this notation

 private:
  struct Piece {
    std::string text;
    int binds;  ///< how strongly
  };
  Piece piece(Id id) const;
  Piece expression(Id id) const;
  Piece scaled(double factor, Id of) const;
  Piece sum(const Node& node) const;
  Piece quotient(const std::string& above, const Piece& piece_above, const Piece& below) const;
  Piece symbol(const Node& node) const;
  Piece call(const Node& node) const;
  std::string in(const Piece& piece, int binds) const;  ///< in parentheses where it binds less

  const Graph& graph_;
  const SystemInfo& info_;
  Notation notation_;
  std::map<Id, std::string> names_;
};

}  // namespace kalaba::formula
