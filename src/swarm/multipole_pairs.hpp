#pragma once

#include <array>
#include <cstdlib>
#include <vector>

#include "swarm/cell_tree.hpp"
#include "swarm/chebyshev.hpp"
#include "swarm/far_table.hpp"

namespace kalaba::swarm {

// Parts of the fast multipole method that do not depend on its order and are compiled once.

/// Cells of a level of the tree, with the data of the method.
template <int D>
struct MultipoleLevel {
  CellLevel<D> cells;
  std::vector<Velocity<D>> velocity;  ///< of a cell: the mean of its agents' velocities
  const FarTable<D>* table = nullptr;
  Eigen::MatrixXd sources;  ///< in the table's basis, two columns a cell
};

/// Velocity of a cell relative to another, in half widths of this level per second.
template <int D>
Velocity<D> past(const MultipoleLevel<D>& level, const Velocity<D>& cell, const Velocity<D>& other) {
  Velocity<D> apart = cell - other;
  for (double& w : apart) w = w * 2 / level.cells.width;
  return apart;
}

/// Returns the cell there, or -1 if there is none or the parents do not touch.
template <int D>
long partner(const CellLevel<D>& cells, long cell, const CellPlace<D>& offset) {
  const CellPlace<D>& from = cells.places[cell];
  CellPlace<D> place;
  for (int d = 0; d < D; ++d) {
    place[d] = from[d] + offset[d];
    if (std::abs((place[d] >> 1) - (from[d] >> 1)) > 1) return -1;
  }
  return cells.find(place);
}

/// Pairs of interacting cells of one kind of offset, for one matrix product. The targets are begin … end - 1.
template <int D>
class PairBatch {
 public:
  PairBatch(const MultipoleLevel<D>& level, long begin, long end)
      : level_(level),
        begin_(begin),
        in_(level.table->rank(), 2 * pairs_at_once),
        out_(level.table->rank(), 2 * pairs_at_once),
        received_(Eigen::MatrixXd::Zero(level.table->rank(), (2 + D) * (end - begin))) {}

  bool full() const { return count_ == pairs_at_once; }
  void add(long target, long source, unsigned reflected) {
    const Eigen::VectorXd& signs = level_.table->reflected[reflected];
    for (int f = 0; f < 2; ++f) {
      in_.col(2 * count_ + f) = signs.cwiseProduct(level_.sources.col(2 * source + f));
    }
    pairs_[count_++] = {target, source, &signs};
  }
  void pass(int kind) {
    if (count_ == 0) return;
    out_.leftCols(2 * count_).noalias() = level_.table->between[kind] * in_.leftCols(2 * count_);
    for (long k = 0; k < count_; ++k) {
      const auto& [target, source, signs] = pairs_[k];
      const Velocity<D> w = past<D>(level_, level_.velocity[target], level_.velocity[source]);
      const long to = (2 + D) * (target - begin_);
      const auto u = signs->cwiseProduct(out_.col(2 * k));
      received_.col(to) += u;
      received_.col(to + 1) += signs->cwiseProduct(out_.col(2 * k + 1));
      for (int d = 0; d < D; ++d) received_.col(to + 2 + d) += w[d] * u;
    }
    count_ = 0;
  }
  /// In the table's basis, for each target U, its rate, and for each axis U times the target's velocity relative to its
  /// sources, whose slope contributes to the rate.
  const Eigen::MatrixXd& received() const { return received_; }

 private:
  static constexpr long pairs_at_once = 128;

  struct Pair {
    long target, source;
    const Eigen::VectorXd* signs;
  };
  const MultipoleLevel<D>& level_;
  long begin_;
  Eigen::MatrixXd in_, out_;  // two columns per pair: U and its rate
  Eigen::MatrixXd received_;
  std::array<Pair, pairs_at_once> pairs_;
  long count_ = 0;
};

}  // namespace kalaba::swarm
