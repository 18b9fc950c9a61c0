#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "formula/graph/table.hpp"
#include "kalaba/core/base/operation.hpp"
#include "kalaba/formula/statement.hpp"

namespace kalaba::formula {

using Op = Operation;

struct Node {
  Op op = Op::number;
  double value = 0;        ///< of a number
  std::int32_t index = 0;  ///< of a parameter, coordinate …; the exponent of `raise`; a TableUse
  std::array<Id, 3> arguments{-1, -1, -1};
};

bool is_symbol(Op op);  ///< a leaf other than a number

/// One directed acyclic graph in which equal expressions are one node. Expressions are simplified as they are made, by
/// identities that round nothing: constants folded (where the result is finite), x + 0, 1 x, x - x, signs and powers of
/// two taken out of products and of sums of equal factors; and by two that round less: products of the same factors
/// cancel, and u sin^2 + u cos^2 = u. As definitions, 0 x is 0
/// whatever x is, and -0 is 0. Nothing else is reassociated, expanded or collected.
class Graph {
 public:
  /// More nodes than this are refused: Error (bad_input).
  static constexpr std::size_t limit = 2'000'000;

  Id number(double value);
  Id symbol(Op kind, int index);  ///< a leaf that is no number; of time, index 0
  Id unary(Op op, Id x);
  /// `power` with a constant whole exponent becomes `raise`.
  Id binary(Op op, Id a, Id b);
  Id raise(Id x, int exponent);
  Id select(Id mask, Id a, Id b);
  /// The table's derivative of this order at x.
  Id table(const std::shared_ptr<const Table>& table, int order, Id x);
  Id table(TableUse use, Id x);
  const Tables& tables() const { return tables_; }

  Id add(Id a, Id b);
  Id subtract(Id a, Id b);
  Id multiply(Id a, Id b);
  Id divide(Id a, Id b);
  Id negate(Id x);

  const Node& operator[](Id id) const { return nodes_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_mask(Id id) const;
  bool is_number(Id id, double value) const;
  std::optional<double> constant(Id id) const;     ///< the value of a number
  std::optional<bool> constant_mask(Id id) const;  ///< of a comparison of two numbers

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  struct Equal {
    bool operator()(const Node& a, const Node& b) const;
  };
  /// c x with c a power of two or its negative, taken apart; {1, x} for any other x.
  struct Scaled {
    double factor;
    Id of;
  };

  Id make(Op op, Id a = -1, Id b = -1, Id c = -1, int index = 0);
  Id insert(const Node& node);
  /// Multiplying by it rounds nothing (short of overflow and subnormal numbers).
  static bool is_exact_factor(double value);
  Id scale(double factor, Id x);
  Scaled scaled(Id x) const;
  Id sum(Id a, Id b, double sign_of_b);
  bool are_one_product(Id a, Id b) const;
  std::optional<Id> pythagoras(Id a, Id b);
  std::optional<double> folded(Op op, Id a, Id b) const;
  Id mask(Op op, Id a, Id b);
  Id function(Op op, Id x);

  std::vector<Node> nodes_;
  std::unordered_map<Node, Id, Hash, Equal> known_;
  Tables tables_;
};

}  // namespace kalaba::formula
