#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace kalaba::test {

/// A rooted tree: the subtrees at its root.
struct Tree {
  std::vector<Tree> branches;

  int order() const {
    int order = 1;
    for (const Tree& each : branches) order += each.order();
    return order;
  }
  long double density() const {
    long double density = order();
    for (const Tree& each : branches) density *= each.density();
    return density;
  }
};

/// Forests of `nodes` nodes whose trees come from `trees`, from index `first` on.
inline void add_forests(const std::vector<Tree>& trees, std::size_t first, int nodes, std::vector<Tree>& chosen,
                        std::vector<Tree>& result) {
  if (nodes == 0) result.push_back({chosen});
  for (std::size_t i = first; i < trees.size(); ++i) {
    if (trees[i].order() > nodes) continue;
    chosen.push_back(trees[i]);
    add_forests(trees, i, nodes - trees[i].order(), chosen, result);
    chosen.pop_back();
  }
}
/// All rooted trees of at most `order` nodes.
inline std::vector<Tree> trees_up_to(int order) {
  std::vector<Tree> trees;
  for (int nodes = 1; nodes <= order; ++nodes) {
    std::vector<Tree> more;
    std::vector<Tree> chosen;
    add_forests(trees, 0, nodes - 1, chosen, more);
    trees.insert(trees.end(), more.begin(), more.end());
  }
  return trees;
}

/// Coefficients of a Rosenbrock method with an exact Jacobian, in the notation of Hairer, Wanner, Solving Ordinary
/// Differential Equations II, section IV.7; gamma with its diagonal.
struct RosenbrockCoefficients {
  using Rows = std::vector<std::vector<long double>>;
  Rows alpha, gamma;

  /// Values of a tree at the stages: a node with one branch takes alpha + gamma, others take alpha (eq. IV.7.11).
  std::vector<long double> values(const Tree& tree) const {
    const std::size_t stages = alpha.size();
    std::vector<long double> result(stages, 1);
    for (const Tree& branch : tree.branches) {
      const std::vector<long double> inner = values(branch);
      for (std::size_t i = 0; i < stages; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < stages; ++j) {
          sum += (alpha[i][j] + (tree.branches.size() == 1 ? gamma[i][j] : 0)) * inner[j];
        }
        result[i] *= sum;
      }
    }
    return result;
  }

  /// Largest error of the order conditions of `order` nodes, for weights of the solution at the fraction s of a step.
  long double defect(const std::vector<long double>& weights, int order, long double s = 1) const {
    long double worst = 0;
    for (const Tree& tree : trees_up_to(order)) {
      if (tree.order() != order) continue;
      const std::vector<long double> at = values(tree);
      long double sum = 0;
      for (std::size_t i = 0; i < at.size(); ++i) sum += weights[i] * at[i];
      worst = std::max(worst, std::abs(sum - std::pow(s, order) / tree.density()));
    }
    return worst;
  }
};

}  // namespace kalaba::test
