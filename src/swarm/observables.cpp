#include "swarm/observables.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "kalaba/backend/parallel.hpp"
#include "swarm/cell_tree.hpp"

namespace kalaba::swarm {
namespace {

template <int D>
double square_between(const Cloud<D>& agents, long i, long j) {
  double square = 0;
  for (int d = 0; d < D; ++d) square += (agents.x[d][i] - agents.x[d][j]) * (agents.x[d][i] - agents.x[d][j]);
  return square;
}

/// Distances between agents, computed from the cells around each.
template <int D>
class Neighbourhood {
 public:
  /// `tree`: the agents, sorted.
  Neighbourhood(const Cloud<D>& agents, const CellTree<D>& tree, double collision_distance)
      : agents_(agents), tree_(tree), collision_(collision_distance) {
    for (int level = 0; level <= CellTree<D>::deepest; ++level) {
      levels_.push_back(tree_.level(level));
      if (tree_.crowding(level).squares <= 4 * static_cast<double>(agents.size)) break;
    }
  }

  /// Square of the distance from the agent at `place` of the tree's order to its nearest neighbour.
  double nearest_square(long place) const {
    for (std::size_t level = levels_.size(); level-- > 0;) {
      double least = HUGE_VAL;
      each_near(levels_[level], place, [&](double square) { least = std::min(least, square); });
      const double width = levels_[level].width;
      if (least <= width * width || level == 0) return least;
    }
    return HUGE_VAL;
  }

  /// Number of other agents within the collision distance.
  double collisions(long place) const {
    std::size_t level = levels_.size() - 1;
    while (level > 0 && levels_[level].width < collision_) --level;
    double count = 0;
    each_near(levels_[level], place, [&](double square) { count += square < collision_ * collision_ ? 1 : 0; });
    return count;
  }

 private:
  template <class Take>
  void each_near(const CellLevel<D>& cells, long place, const Take& take) const {
    const int agent = tree_.order()[place];
    const auto after = std::upper_bound(cells.begin.begin(), cells.begin.end(), place);
    const CellPlace<D>& own = cells.places[after - cells.begin.begin() - 1];
    for (int code = 0; code < (D == 2 ? 9 : 27); ++code) {
      CellPlace<D> near = own;
      for (int d = 0, rest = code; d < D; ++d, rest /= 3) near[d] += rest % 3 - 1;
      const long cell = cells.find(near);
      if (cell < 0) continue;
      for (long k = cells.begin[cell]; k < cells.begin[cell + 1]; ++k) {
        if (k != place) take(square_between(agents_, agent, tree_.order()[k]));
      }
    }
  }

  const Cloud<D>& agents_;
  const CellTree<D>& tree_;
  double collision_;
  std::vector<CellLevel<D>> levels_;
};

template <int D>
void observe_distances(const Cloud<D>& agents, double collision_distance, int threads, Observables<D>& seen) {
  CellTree<D> tree;
  if (!tree.sort(agents.x, agents.size, threads)) {
    seen.collisions = undefined;
    return;
  }
  const Neighbourhood<D> neighbourhood(agents, tree, collision_distance);
  std::vector<double> nearest(static_cast<std::size_t>(agents.size));
  std::vector<double> met(nearest.size());
  parallel_for(agents.size, 1024, threads, [&](long begin, long end) {
    for (long i = begin; i < end; ++i) {
      nearest[i] = std::sqrt(neighbourhood.nearest_square(i));
      met[i] = collision_distance > 0 ? neighbourhood.collisions(i) : 0;
    }
  });
  seen.nearest = *std::min_element(nearest.begin(), nearest.end());
  seen.nearest_mean = sum_of(nearest.data(), agents.size) / static_cast<double>(agents.size);
  seen.collisions = sum_of(met.data(), agents.size) / 2;
}

}  // namespace

template <int D>
Observables<D> observe_agents(const Cloud<D>& agents, double collision_distance, int threads) {
  Observables<D> seen;
  const auto size = static_cast<double>(agents.size);
  for (int d = 0; d < D; ++d) seen.centre[d] = sum_of(agents.x[d], agents.size) / size;
  AgentArrays<D> heading;
  heading.resize(agents.size);
  std::vector<double> square(static_cast<std::size_t>(agents.size));
  for (long i = 0; i < agents.size; ++i) {
    double speed = 0;
    for (int d = 0; d < D; ++d) {
      square[i] += (agents.x[d][i] - seen.centre[d]) * (agents.x[d][i] - seen.centre[d]);
      speed = std::hypot(speed, agents.w[d][i]);
    }
    for (int d = 0; d < D; ++d) heading[d][i] = speed > 0 ? agents.w[d][i] / speed : 0;
    seen.extent = std::max(seen.extent, square[i]);
  }
  seen.radius = std::sqrt(sum_of(square.data(), agents.size) / size);
  seen.extent = std::sqrt(seen.extent);
  double along = 0;
  for (int d = 0; d < D; ++d) along = std::hypot(along, sum_of(heading[d], agents.size));
  seen.polarisation = along / size;
  seen.nearest = seen.nearest_mean = undefined;
  if (agents.size >= 2) observe_distances(agents, collision_distance, threads, seen);
  return seen;
}

template Observables<2> observe_agents<2>(const Cloud<2>&, double, int);
template Observables<3> observe_agents<3>(const Cloud<3>&, double, int);

}  // namespace kalaba::swarm
