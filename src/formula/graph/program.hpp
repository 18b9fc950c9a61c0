#pragma once

#include <span>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Inputs of expressions. For several members, entry i of member k is at i * stride + k.
struct Inputs {
  const double* parameters = nullptr;
  const double* coordinates = nullptr;
  const double* rates = nullptr;
  const double* ideal = nullptr;
  const double* time = nullptr;  ///< one a member
  long stride = 1;
  const double* observed = nullptr;  ///< WatchedRows
};

/// A straight line of operations for several expressions at once: what they share is computed once, and numbers are
/// kept no longer than they are needed. Holds no reference to the graph.
class Program {
 public:
  Program() = default;
  Program(const Graph& graph, std::span<const Id> roots);

  int outputs() const { return static_cast<int>(outputs_.size()); }
  int operations() const { return static_cast<int>(code_.size()); }
  int registers() const { return registers_; }

  /// The values for one member; masks are 0 and 1.
  std::vector<double> operator()(const Inputs& inputs) const;
  /// For `members` members: out[i * stride + k].
  void run(const Inputs& inputs, long members, double* out, long stride) const;

 private:
  struct Step {
    Op op;
    int index;
    double value;
    int to;
    std::array<int, 3> from;
  };
  static constexpr long lanes = 64;  // members a pass

  void run_pass(const Inputs& inputs, long first, long count, std::vector<double>& registers, double* out,
                long stride) const;

  std::vector<Step> code_;
  Tables tables_;
  std::vector<int> outputs_;  // registers
  int registers_ = 0;
};

}  // namespace kalaba::formula
