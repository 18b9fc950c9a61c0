#pragma once

#include <string>
#include <vector>

#include "report/data/member_numbers.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// One side of a heat map.
struct HeatAxis {
  std::string name;
  std::string unit;
  std::vector<double> edges;  ///< of the cells, ascending; one more than there are cells

  std::size_t cells() const { return edges.size() - 1; }
};

/// A number of the members over two others, by cells.
struct HeatMap {
  HeatAxis x;
  HeatAxis y;
  std::string name;
  std::string unit;
  std::vector<double> values;  ///< [y][x]: the mean over a cell's members that have the number; NaN of none
  std::vector<long> counts;    ///< [y][x]: members that have it
  bool is_grid = false;        ///< a cell is a point of the members' grid; else the members were binned
  long members = 0;            ///< that have the number
  long missing = 0;            ///< that have none, or an infinite one
};

/// Cells are the points of the grid where the members span one in x and y (other variables may vary too), as many of
/// them joined to one cell as are needed for at most `most_cells` a side; else bins of even width, about 10 members
/// each.
HeatMap heat_map(const MemberColumn& x, const MemberColumn& y, const MemberColumn& value, std::size_t most_cells);

/// How many members lie in each of even cells over two numbers: values are counts, NaN for none.
HeatMap density_map(const MemberColumn& x, const MemberColumn& y, std::size_t most_cells);

}  // namespace kalaba
