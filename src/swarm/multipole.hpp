#pragma once

#include "kalaba/swarm/pair_kernel.hpp"
#include "swarm/cell_tree.hpp"

namespace kalaba::swarm {

/// The fast multipole method, for any potential that is smooth away from r = 0 (the black-box method of
/// Fong and Darve, J. Comput. Phys. 228, 2009): between cells of one level that do not touch, the potential is
/// interpolated at order^D Chebyshev nodes of both. With it goes its rate, seen from cells that move, each at its
/// agents' mean velocity W: where a tight cluster rushes along, its own motion is not in any difference.
///
///     U(x) = sum_j G(|x - q_j|),   R = dU/dt following the cell
///     gradient_i = grad U(q_i),    rate_i = grad R(q_i) + ((w_i - W) . grad) grad U(q_i)
///
/// Passed from one cell to another (child and parent, or far apart), R takes with it (W - W') . grad U.
/// The nearest such cells are 2 widths away: an interpolation error falls as 4.2^-order, where the potential has no
/// lengths below a cell's width. Tables of the potential between nodes take 16 order^6 numbers in space (128 MB at 10).
/// Adds what `leaves` level's cells that touch leave out. Agents and sums are in the tree's order.
template <int D>
void add_far_pairs(const PairKernel<D>& kernel, const double* p, const CellTree<D>& tree, const CellLevel<D>& leaves,
                   const Cloud<D>& agents, const PairSums<D>& sums, int order, int threads);

/// The order that keeps the relative errors (2-norm over the agents) of the gradient and of its rate below the
/// tolerance: in every configuration of the paper's law that was measured, up to 200,000 agents in the plane and
/// 100,000 in space, in uniform disks and balls and in clusters down to a millionth of the swarm's size, at rest,
/// rushing and contracting. 0 where none does. A law that falls off within a tenth of a cell's width exceeds it 5
/// times.
template <int D>
int multipole_order(double tolerance);

}  // namespace kalaba::swarm
