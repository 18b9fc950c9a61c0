#pragma once

#include "kalaba/swarm/pair_kernel.hpp"
#include "swarm/cell_tree.hpp"

namespace kalaba::swarm {

/// Adds the pairs of agents in the same or touching cells of a level. Agents and sums are in the tree's order.
template <int D>
void add_near_pairs(const PairKernel<D>& kernel, const double* p, const CellLevel<D>& cells, const Cloud<D>& agents,
                    const PairSums<D>& sums, int threads);

}  // namespace kalaba::swarm
