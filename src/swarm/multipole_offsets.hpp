#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "swarm/cell_tree.hpp"
#include "swarm/chebyshev.hpp"

namespace kalaba::swarm {

/// Where the cells lie that a cell interacts with on its level, and what the symmetry of a potential makes of them:
/// reflections and permutations of axes bring each to one with 0 <= x <= y <= z (5 in the plane, 16 in space), for
/// which alone the potential between nodes is tabulated.
template <int D, int P>
class Offsets {
 public:
  struct Offset {
    CellPlace<D> place;
    int kind;           ///< index into kinds()
    const int* turned;  ///< of each node the one it becomes where the offset becomes its kind's
  };

  Offsets() {
    std::vector<CellPlace<D>> places;
    for (int code = 0; code < power(2 * reach + 1, D); ++code) {
      CellPlace<D> place;
      for (int d = 0, rest = code; d < D; ++d, rest /= 2 * reach + 1) place[d] = rest % (2 * reach + 1) - reach;
      if (std::any_of(place.begin(), place.end(), [](long c) { return std::abs(c) > 1; })) places.push_back(place);
    }
    turns_.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::array<int, D> axes;  // of the offset, the least distant first
      for (int d = 0; d < D; ++d) axes[d] = d;
      std::stable_sort(axes.begin(), axes.end(),
                       [&](int a, int b) { return std::abs(places[i][a]) < std::abs(places[i][b]); });
      CellPlace<D> kind;
      for (int d = 0; d < D; ++d) kind[d] = std::abs(places[i][axes[d]]);
      const auto known = std::find(kinds_.begin(), kinds_.end(), kind);
      const auto index = static_cast<int>(known - kinds_.begin());
      if (known == kinds_.end()) kinds_.push_back(kind);
      turns_[i] = turn(places[i], axes);
      all_.push_back({places[i], index, turns_[i].data()});
    }
    std::stable_sort(all_.begin(), all_.end(), [](const Offset& a, const Offset& b) { return a.kind < b.kind; });
  }
  Offsets(const Offsets&) = delete;
  Offsets& operator=(const Offsets&) = delete;

  /// Those of a kind follow each other.
  const std::vector<Offset>& all() const { return all_; }
  const std::vector<CellPlace<D>>& kinds() const { return kinds_; }

 private:
  static constexpr int reach = 3;  // interacting cells are at most so many cells away, on each axis

  static std::vector<int> turn(const CellPlace<D>& place, const std::array<int, D>& axes) {
    std::vector<int> turned(power(P, D));
    for (int node = 0; node < power(P, D); ++node) {
      for (int d = 0; d < D; ++d) {
        const int along_axis = node / power(P, axes[d]) % P;
        turned[node] += (place[axes[d]] < 0 ? P - 1 - along_axis : along_axis) * power(P, d);
      }
    }
    return turned;
  }

  std::vector<Offset> all_;
  std::vector<CellPlace<D>> kinds_;
  std::vector<std::vector<int>> turns_;
};

}  // namespace kalaba::swarm
