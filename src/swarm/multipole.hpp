#pragma once

#include "kalaba/swarm/pair_kernel.hpp"
#include "swarm/cell_tree.hpp"

namespace kalaba::swarm {

/// The fast multipole method in the plane, for any potential that is smooth away from r = 0 (the black-box method of
/// Fong and Darve, J. Comput. Phys. 228, 2009): between cells of one level that do not touch, the potential is
/// interpolated at order x order Chebyshev nodes of both. Two fields are carried, both of the same potential G:
///
///     U(x) = sum_j G(|x - q_j|),   V(x) = sum_j (w_j . grad) G(|x - q_j|)
///     gradient_i = grad U(q_i),    rate_i = (w_i . grad) grad U(q_i) - grad V(q_i)
///
/// The nearest such cells are 2 widths away: an interpolation error falls as 4.2^-order.
/// Adds what `leaves` level's cells that touch leave out. Agents and sums are in the tree's order.
void add_far_pairs(const PairKernel<2>& kernel, const double* p, const CellTree<2>& tree, const CellLevel<2>& leaves,
                   const Cloud<2>& agents, const PairSums<2>& sums, int order, int threads);

/// The order that keeps the relative error (2-norm over the agents) of the gradient below the tolerance, and that of
/// the rate where no small cluster moves fast as a whole; measured up to 200,000 agents. 0 where none does. Of such a
/// cluster the rate is a difference of two large numbers, and the smaller and faster it is the larger the error:
/// clusters of a millionth of the swarm's size that contract with it keep the tolerance at 20,000 agents, but not at
/// 100,000.
int multipole_order(double tolerance);

}  // namespace kalaba::swarm
