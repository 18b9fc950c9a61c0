#pragma once

#include <optional>

#include "swarm/cell_tree.hpp"
#include "swarm/far_table.hpp"

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
/// lengths below a cell's width. Between cells goes only what the potential can tell apart (far_table.hpp).
/// Adds what `leaves` level's cells that touch leave out. Agents and sums are in the tree's order.
template <int D>
void add_far_pairs(FarTables<D>& tables, const double* p, const CellTree<D>& tree, const CellLevel<D>& leaves,
                   const Cloud<D>& agents, const PairSums<D>& sums, int threads);

struct MultipoleAccuracy {
  int order;
  double truncation;  ///< of far_table.hpp
};

/// What keeps the relative errors (2-norm over the agents) of the gradient and of its rate below the tolerance: in
/// disks and balls, even and ever denser down to a millionth of their size, at rest, rushing and contracting, of up to
/// 100,000 agents by the paper's law, measured with a margin of 3. Nothing where none does. Less is kept of a rate
/// whose terms cancel (clusters apart that each contract upon themselves lose 100 times), and of laws without a cutoff
/// that are smooth over the swarm (up to 4 times) or fall off within a tenth of a cell's width (5 times).
template <int D>
std::optional<MultipoleAccuracy> multipole_accuracy(double tolerance);

}  // namespace kalaba::swarm
