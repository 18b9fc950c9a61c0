#pragma once

#include <vector>

namespace kalaba {

/// Pattern of a matrix, and order of elimination of its rows B in B B^T x = e: the tables of a pattern
/// (kalaba/core/model/pattern.hpp) that is known at run time.
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
