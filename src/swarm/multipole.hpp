#pragma once

#include <optional>

#include "swarm/cell_tree.hpp"
#include "swarm/far_table.hpp"

namespace kalaba::swarm {

/// Fast multipole method for any potential that is smooth away from r = 0 (black-box method of Fong and Darve, J.
/// Comput. Phys. 228, 2009): between cells of one level that do not touch, the potential is interpolated at order^D
/// Chebyshev nodes of both. Its rate is interpolated too, relative to cells that move at their agents' mean velocity W:
/// the mean motion of a tight, fast cluster then does not enter any difference.
///
///     U(x) = sum_j G(|x - q_j|),   R = dU/dt following the cell
///     gradient_i = grad U(q_i),    rate_i = grad R(q_i) + ((w_i - W) . grad) grad U(q_i)
///
/// If passed from one cell to another (child and parent, or far apart), R changes by (W - W') . grad U. The nearest
/// such cells are 2 widths apart: the interpolation error decreases as 4.2^-order if the potential has no length scale
/// below a cell's width. Only the part that the potential resolves is transferred between cells (far_table.hpp). Adds
/// the pairs of cells that do not touch on the level `leaves`. Agents and sums are in the tree's order.
template <int D>
void add_far_pairs(FarTables<D>& tables, const double* p, const CellTree<D>& tree, const CellLevel<D>& leaves,
                   const Cloud<D>& agents, const PairSums<D>& sums, int threads);

struct MultipoleAccuracy {
  int order;
  double truncation;  ///< of far_table.hpp
};

/// Returns settings that keep the relative errors (2-norm over the agents) of the gradient and of its rate below the
/// tolerance. Measured with a margin of 3 for disks and balls, uniform and increasingly dense down to a millionth of
/// their size, at rest, in fast motion and contracting, with up to 100,000 agents and the paper's law. Returns nothing
/// if no settings suffice. The accuracy is lower for a rate whose terms cancel (separate clusters that each contract
/// lose a factor of 100), and for laws without a cutoff that are smooth over the swarm (up to 4) or fall off within a
/// tenth of a cell's width (5).
template <int D>
std::optional<MultipoleAccuracy> multipole_accuracy(double tolerance);

}  // namespace kalaba::swarm
