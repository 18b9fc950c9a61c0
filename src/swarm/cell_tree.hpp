#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kalaba::swarm {

/// Integer coordinates of a cell on its level: 0 … 2^level - 1.
template <int D>
using CellPlace = std::array<long, D>;

/// The occupied cells of one level of a quadtree or octree, in Morton order.
template <int D>
struct CellLevel {
  int level = 0;
  double width = 0;                  ///< of a cell, m
  std::vector<std::uint64_t> keys;   ///< ascending
  std::vector<CellPlace<D>> places;  ///< of the cells
  std::vector<long> begin;           ///< agents of cell c: begin[c] … begin[c + 1] - 1, in the tree's order
  std::vector<int> dense;            ///< cell by key, if the level is small enough to list every key

  long size() const { return static_cast<long>(keys.size()); }
  /// Returns the cell at a place, or -1 if it is empty or outside the root.
  long find(const CellPlace<D>& place) const;
};

/// Agents sorted into the cells of a square or cube around them, halved level by level.
template <int D>
class CellTree {
 public:
  static constexpr int deepest = D == 2 ? 20 : 13;

  /// Sorts `size` agents, whose positions must be finite. Returns false if agent positions exceed the range of double.
  bool sort(const double* const (&x)[D], long size, int threads);
  /// Builds the cells of a level, 0 … deepest.
  CellLevel<D> level(int level) const;
  /// Sum over the cells of a level of the squared number of their agents, and the number of cells.
  struct Crowding {
    double squares = 0;
    long cells = 0;
  };
  Crowding crowding(int level) const;

  const std::vector<int>& order() const { return order_; }  ///< agent at each place of the sorted order
  double width() const { return width_; }                   ///< of the root, m; positive
  double low(int axis) const { return low_[axis]; }         ///< corner of the root, m

 private:
  std::uint64_t key_of(long sorted, int level) const { return keys_[sorted] >> (D * (deepest - level)); }

  std::vector<std::uint64_t> keys_;
  std::vector<int> order_;
  std::vector<std::uint64_t> spare_keys_;
  std::vector<int> spare_order_;
  std::array<double, D> low_ = {};
  double width_ = 1;
};

}  // namespace kalaba::swarm
