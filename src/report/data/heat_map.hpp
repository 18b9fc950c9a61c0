#pragma once

#include <string>
#include <vector>

#include "report/data/member_numbers.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// Axis of a heat map.
struct HeatAxis {
  std::string name;
  std::string unit;
  std::vector<double> edges;  ///< cell boundaries, ascending; one more than cells

  std::size_t cells() const { return edges.size() - 1; }
};

/// A number of the members as a function of two others, by cells.
struct HeatMap {
  HeatAxis x;
  HeatAxis y;
  std::string name;
  std::string unit;
  std::vector<double> values;  ///< [y][x]: mean over the cell's members with a finite number; NaN without any
  std::vector<long> counts;    ///< [y][x]: number of these members
  bool is_grid = false;        ///< cells are points of the members' grid; false: the members were binned
  long members = 0;            ///< with a finite number
  long missing = 0;            ///< with none, or an infinite one
};

/// If the members span a grid in x and y (other variables may vary too), the cells are its points, merged to at most
/// `most_cells` per axis; otherwise bins of equal width, with about 10 members each.
HeatMap heat_map(const MemberColumn& x, const MemberColumn& y, const MemberColumn& value, std::size_t most_cells);

/// Number of members in each of equal cells over two numbers, as values; NaN for none.
HeatMap density_map(const MemberColumn& x, const MemberColumn& y, std::size_t most_cells);

}  // namespace kalaba
