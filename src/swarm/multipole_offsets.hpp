#pragma once

#include <vector>

#include "swarm/cell_tree.hpp"

namespace kalaba::swarm {

/// Offsets of the cells that a cell interacts with on its level. A reflection of axes maps each to one of few kinds,
/// whose offsets are not negative (12 in the plane, 56 in space).
template <int D>
class Offsets {
 public:
  struct Offset {
    CellPlace<D> place;
    int kind;            ///< index into kinds()
    unsigned reflected;  ///< bit d is set if axis d is reflected
  };

  Offsets();

  /// Offsets of one kind are contiguous.
  const std::vector<Offset>& all() const { return all_; }
  const std::vector<CellPlace<D>>& kinds() const { return kinds_; }

 private:
  std::vector<Offset> all_;
  std::vector<CellPlace<D>> kinds_;
};

template <int D>
const Offsets<D>& offsets() {
  static const Offsets<D> offsets;
  return offsets;
}

}  // namespace kalaba::swarm
