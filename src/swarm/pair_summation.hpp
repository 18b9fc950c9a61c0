#pragma once

#include <optional>

#include "kalaba/options.hpp"
#include "kalaba/swarm/pair_kernel.hpp"
#include "swarm/agent_arrays.hpp"
#include "swarm/cell_tree.hpp"
#include "swarm/multipole.hpp"

namespace kalaba::swarm {

/// Throws Error(bad_input) if the requested method cannot sum this law in this dimension, or not to the tolerance.
template <int D>
void check_pair_sum(const PairKernel<D>& kernel, const double* p, PairSum method, double tolerance);

/// Sums a law over all pairs of a swarm: its harmonic part from moments, the rest by one of the methods. Owns the
/// memory of the methods, O(agents). The sums do not depend on the number of threads.
template <int D>
class PairSummation {
 public:
  PairSummation(const PairKernel<D>& kernel, PairSum method, double tolerance) : kernel_(kernel), method_(method) {
    if (const auto accuracy = multipole_accuracy<D>(tolerance)) {
      far_tables_.emplace(kernel, accuracy->order, accuracy->truncation);
    }
  }

  /// Positions and velocities must be finite. `p`: the law's parameters. Returns false, without sums, if agents must be
  /// sorted into cells and their positions exceed the range of double.
  bool evaluate(const double* p, const Cloud<D>& agents, const PairSums<D>& sums, int threads);

 private:
  struct Plan {
    PairSum method = PairSum::all_pairs;  ///< never automatic
    int level = 0;                        ///< of the cells
  };
  /// Chooses the method. Sorts the tree unless it chooses all pairs; returns nothing if sorting fails.
  std::optional<Plan> plan(const double* p, const Cloud<D>& agents, int threads);
  Plan plan_cells(double cutoff, const Cloud<D>& agents) const;
  Plan plan_multipole(const Cloud<D>& agents) const;
  void sum_all_pairs(const double* p, const Cloud<D>& agents, const PairSums<D>& sums, int threads) const;
  void sum_sorted(const Plan& plan, const double* p, const Cloud<D>& agents, const PairSums<D>& sums, int threads);
  void add_harmonic(double strength, const Cloud<D>& agents, const PairSums<D>& sums) const;

  const PairKernel<D>& kernel_;
  PairSum method_;
  std::optional<FarTables<D>> far_tables_;  ///< if the multipole method reaches the tolerance
  CellTree<D> tree_;
  AgentArrays<D> sorted_x_;
  AgentArrays<D> sorted_w_;
  SumArrays<D> sorted_sums_;
};

/// Adds the pairs of agents in the same or touching cells of a level. Agents and sums are in the tree's order.
template <int D>
void add_near_pairs(const PairKernel<D>& kernel, const double* p, const CellLevel<D>& cells, const Cloud<D>& agents,
                    const PairSums<D>& sums, int threads);

}  // namespace kalaba::swarm
