#pragma once

#include <vector>

namespace kalaba {

/// Where a matrix may differ from zero, and how its rows B are eliminated of B B^T x = e: the tables of a pattern
/// (kalaba/core/pattern.hpp) that is known when it runs.
struct RowPlan {
  int rows = 0;
  std::vector<int> begin = {0};
  std::vector<int> column;
  std::vector<int> order;
  std::vector<int> first;
  std::vector<int> last;
  std::vector<int> start;
};

}  // namespace kalaba
