#pragma once

#include <span>
#include <vector>

#include "backend/reference/model.hpp"
#include "formula/graph/graph.hpp"
#include "formula/graph/program.hpp"

namespace kalaba::formula {

/// Evaluates expressions with the sizes of the terms that they are summed from, and to first order the sizes of their
/// rounding errors. There a coordinate counts as the largest of the first `coordinates` ones, and a rate as the largest
/// of the first `rates` ones: errors of a projection are shared. Holds no reference to the graph.
class TermSizes {
 public:
  TermSizes() = default;
  TermSizes(const Graph& graph, std::span<const Id> roots, long coordinates, long rates);

  /// For one member.
  std::vector<reference::Sized> operator()(const Inputs& inputs) const;

 private:
  struct Step {
    Op op;
    int index;
    double value;
    std::array<int, 3> from;
    bool of_state;  ///< depends on coordinates, rates or time
  };

  struct StateSize {
    double coordinates;
    double rates;
  };

  reference::Sized sized(const Step& step, std::span<const reference::Sized> found, const Inputs& inputs,
                         const StateSize& size) const;

  long coordinates_ = 0;
  long rates_ = 0;
  std::vector<Step> code_;
  std::vector<int> outputs_;
  Tables tables_;
};

}  // namespace kalaba::formula
