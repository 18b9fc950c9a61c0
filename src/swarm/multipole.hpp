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

/// The order that keeps the relative error (2-norm over the agents) of gradient and rate below the tolerance; measured
/// on uniform disks and on clusters down to a millionth of the swarm. 0 where none does. The rate is a difference of
/// two large numbers where a cluster moves fast as a whole: there the smaller the cluster, the larger its error.
int multipole_order(double tolerance);

}  // namespace kalaba::swarm
