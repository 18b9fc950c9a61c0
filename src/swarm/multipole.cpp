#include "swarm/multipole.hpp"

#include <cmath>
#include <vector>

#include "kalaba/backend/parallel.hpp"
#include "swarm/agent_arrays.hpp"
#include "swarm/chebyshev.hpp"

namespace kalaba::swarm {
namespace {

constexpr long cells_at_once = 32;  ///< fixed, so that a result does not depend on the threads
constexpr int reach = 3;            ///< interacting cells are at most so many cells away, on each axis

template <int P>
class Method {
 public:
  Method(const PairKernel<2>& kernel, const double* p, const CellTree<2>& tree, const Cloud<2>& agents,
         const PairSums<2>& sums, int threads)
      : kernel_(kernel), p_(p), tree_(tree), agents_(agents), sums_(sums), threads_(threads) {}

  void run(const CellLevel<2>& leaves) {
    levels_.resize(static_cast<std::size_t>(leaves.level) + 1);
    for (int l = coarsest; l < leaves.level; ++l) levels_[l].cells = tree_.level(l);
    levels_.back().cells = leaves;
    for (int l = coarsest; l <= leaves.level; ++l) {
      levels_[l].sources.resize(static_cast<std::size_t>(levels_[l].cells.size()));
      levels_[l].fields.assign(levels_[l].sources.size(), Fields<P>::Zero());
      levels_[l].velocity.resize(levels_[l].sources.size());
      each_cell(l, [&](long cell) { levels_[l].velocity[cell] = mean_velocity(levels_[l].cells, cell); });
    }
    each_cell(leaves.level, [&](long cell) { gather(cell); });
    for (int l = leaves.level - 1; l >= coarsest; --l) each_cell(l, [&](long cell) { merge(l, cell); });
    for (int l = coarsest; l <= leaves.level; ++l) {
      exchange(levels_[l]);
      if (l < leaves.level) each_cell(l + 1, [&](long cell) { inherit(l + 1, cell); });
    }
    each_cell(leaves.level, [&](long cell) { evaluate(cell); });
  }

 private:
  static constexpr int coarsest = 2;  // above, every cell touches every other
  static constexpr int size = P * P;

  struct Level {
    CellLevel<2> cells;
    std::vector<Fields<P>, Eigen::aligned_allocator<Fields<P>>> sources;
    std::vector<Fields<P>, Eigen::aligned_allocator<Fields<P>>> fields;
    std::vector<Velocity> velocity;  ///< of a cell: the mean of its agents'
  };

  template <class Work>
  void each_cell(int level, const Work& work) const {
    parallel_for(levels_[level].cells.size(), cells_at_once, threads_, [&](long begin, long end) {
      for (long cell = begin; cell < end; ++cell) work(cell);
    });
  }

  double middle(const CellLevel<2>& cells, long cell, int axis) const {
    return tree_.low(axis) + (static_cast<double>(cells.places[cell][axis]) + 0.5) * cells.width;
  }

  Velocity mean_velocity(const CellLevel<2>& cells, long cell) const {
    const long first = cells.begin[cell];
    const long count = cells.begin[cell + 1] - first;
    const auto size = static_cast<double>(count);
    return {sum_of(agents_.w[0] + first, count) / size, sum_of(agents_.w[1] + first, count) / size};
  }
  /// How fast a cell moves past another, in halves of this level's width.
  static Velocity past(const Level& level, const Velocity& cell, const Velocity& other) {
    const Velocity apart = cell - other;
    return {apart[0] * 2 / level.cells.width, apart[1] * 2 / level.cells.width};
  }

  /// The sources of a leaf: l_a(x) l_b(y) for U, their derivatives along w (seen from the cell) for its rate.
  void gather(long cell) {
    Level& leaf = levels_.back();
    const double scale = 2 / leaf.cells.width;
    Fields<P> sums = Fields<P>::Zero();  // over polynomials, [l * P + k] for T_k(x) T_l(y)
    for (long i = leaf.cells.begin[cell]; i < leaf.cells.begin[cell + 1]; ++i) {
      const Polynomials<P> x((agents_.x[0][i] - middle(leaf.cells, cell, 0)) * scale);
      const Polynomials<P> y((agents_.x[1][i] - middle(leaf.cells, cell, 1)) * scale);
      const auto [wx, wy] = past(leaf, {agents_.w[0][i], agents_.w[1][i]}, leaf.velocity[cell]);
      for (int l = 0; l < P; ++l) {
        double* u = sums.col(0).data() + l * P;
        double* v = sums.col(1).data() + l * P;
        const double across = wx * y.value[l];
        const double up = wy * y.first[l];
        for (int k = 0; k < P; ++k) {
          u[k] += x.value[k] * y.value[l];
          v[k] += x.first[k] * across + x.value[k] * up;
        }
      }
    }
    leaf.sources[cell] = transformed<P>(nodes().weights, sums, nodes().weights);
  }

  static const Nodes<P>& nodes() {
    static const Nodes<P> nodes;
    return nodes;
  }
  const Square<P>& to_child(const CellPlace<2>& place, int axis) const { return nodes().to_child[place[axis] & 1]; }

  void merge(int l, long cell) {
    const Level& below = levels_[l + 1];
    const Square<P> adjoint = nodes().slopes.transpose();
    Fields<P> sum = Fields<P>::Zero();
    each_child(l, cell, [&](long child) {
      const CellPlace<2>& place = below.cells.places[child];
      Fields<P> sources = below.sources[child];
      move_through<P>(past(below, below.velocity[child], levels_[l].velocity[cell]), adjoint, sources);
      sum += transformed<P>(to_child(place, 0), sources, to_child(place, 1));
    });
    levels_[l].sources[cell] = sum;
  }
  template <class Work>
  void each_child(int l, long cell, const Work& work) const {
    const CellLevel<2>& below = levels_[l + 1].cells;
    const std::uint64_t key = levels_[l].cells.keys[cell];
    auto child = std::lower_bound(below.keys.begin(), below.keys.end(), key << 2);
    for (; child != below.keys.end() && *child >> 2 == key; ++child) work(child - below.keys.begin());
  }

  void inherit(int l, long cell) {
    const CellPlace<2>& place = levels_[l].cells.places[cell];
    const long parent = levels_[l - 1].cells.find({place[0] >> 1, place[1] >> 1});
    Fields<P> fields =
        transformed<P>(to_child(place, 0).transpose(), levels_[l - 1].fields[parent], to_child(place, 1).transpose());
    move_through<P>(past(levels_[l], levels_[l].velocity[cell], levels_[l - 1].velocity[parent]), nodes().slopes,
                    fields);
    levels_[l].fields[cell] += fields;
  }

  /// G between the nodes of two cells, the source's `offset` cells away: (node of the target, node of the source).
  Eigen::MatrixXd between_nodes(const CellPlace<2>& offset, double width) const {
    Eigen::MatrixXd distance(size, size);
    for (int source = 0; source < size; ++source) {
      for (int target = 0; target < size; ++target) {
        const double x = nodes().place[target % P] - nodes().place[source % P] - 2.0 * static_cast<double>(offset[0]);
        const double y = nodes().place[target / P] - nodes().place[source / P] - 2.0 * static_cast<double>(offset[1]);
        distance(target, source) = std::sqrt(x * x + y * y) * width / 2;
      }
    }
    Eigen::MatrixXd values(size, size);
    kernel_.potential(p_, distance.data(), values.data(), distance.size());
    return values;
  }

  /// Takes the fields of every cell from the cells that do not touch it but whose parents touch its parent.
  void exchange(Level& level) {
    std::vector<CellPlace<2>> offsets;
    for (long y = -reach; y <= reach; ++y) {
      for (long x = -reach; x <= reach; ++x) {
        if (std::max(std::abs(x), std::abs(y)) > 1) offsets.push_back({x, y});
      }
    }
    std::vector<Eigen::MatrixXd> matrices(offsets.size());
    parallel_for(static_cast<long>(offsets.size()), 1, threads_, [&](long begin, long end) {
      for (long i = begin; i < end; ++i) matrices[i] = between_nodes(offsets[i], level.cells.width);
    });
    parallel_for(level.cells.size(), cells_at_once, threads_, [&](long begin, long end) {
      Eigen::MatrixXd in(size, 2 * cells_at_once);
      Eigen::MatrixXd out(size, 2 * cells_at_once);
      Eigen::MatrixXd carried = Eigen::MatrixXd::Zero(size, 2 * (end - begin));  // of a cell, U times its velocity
      std::array<long, cells_at_once> targets{};
      std::array<long, cells_at_once> partners{};
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        long count = 0;
        for (long cell = begin; cell < end; ++cell) {
          const long source = partner(level.cells, cell, offsets[i]);
          if (source < 0) continue;
          in.middleCols(2 * count, 2) = level.sources[source];
          partners[count] = source;
          targets[count++] = cell;
        }
        if (count == 0) continue;
        out.leftCols(2 * count).noalias() = matrices[i] * in.leftCols(2 * count);
        for (long k = 0; k < count; ++k) {
          level.fields[targets[k]] += out.middleCols(2 * k, 2);
          const Velocity w = past(level, level.velocity[targets[k]], level.velocity[partners[k]]);
          for (int d = 0; d < 2; ++d) carried.col(2 * (targets[k] - begin) + d) += w[d] * out.col(2 * k);
        }
      }
      for (long cell = begin; cell < end; ++cell) {
        const double* const from = carried.col(2 * (cell - begin)).data();
        const Eigen::Map<const Square<P>> across(from);
        const Eigen::Map<const Square<P>> up(from + size);
        Eigen::Map<Square<P>> rate(level.fields[cell].col(1).data());
        rate.noalias() += nodes().slopes * across;
        rate.noalias() += up * nodes().slopes.transpose();
      }
    });
  }
  static long partner(const CellLevel<2>& cells, long cell, const CellPlace<2>& offset) {
    const CellPlace<2>& from = cells.places[cell];
    const CellPlace<2> place = {from[0] + offset[0], from[1] + offset[1]};
    for (int d = 0; d < 2; ++d) {
      if (std::abs((place[d] >> 1) - (from[d] >> 1)) > 1) return -1;
    }
    return cells.find(place);
  }

  void evaluate(long cell) const {
    const Level& leaf = levels_.back();
    const double scale = 2 / leaf.cells.width;
    const Square<P> weights = nodes().weights.transpose();
    const Fields<P> fields = transformed<P>(weights, leaf.fields[cell], weights);
    for (long i = leaf.cells.begin[cell]; i < leaf.cells.begin[cell + 1]; ++i) {
      const Polynomials<P> x((agents_.x[0][i] - middle(leaf.cells, cell, 0)) * scale);
      const Polynomials<P> y((agents_.x[1][i] - middle(leaf.cells, cell, 1)) * scale);
      double flat[P] = {}, steep[P] = {}, bent[P] = {}, rate_flat[P] = {}, rate_steep[P] = {};
      for (int l = 0; l < P; ++l) {
        const double* u = fields.col(0).data() + l * P;
        const double* rate = fields.col(1).data() + l * P;
        for (int k = 0; k < P; ++k) {
          flat[k] += u[k] * y.value[l];
          steep[k] += u[k] * y.first[l];
          bent[k] += u[k] * y.second[l];
          rate_flat[k] += rate[k] * y.value[l];
          rate_steep[k] += rate[k] * y.first[l];
        }
      }
      double ux = 0, uy = 0, uxx = 0, uxy = 0, uyy = 0, rate_x = 0, rate_y = 0;
      for (int k = 0; k < P; ++k) {
        ux += x.first[k] * flat[k];
        uy += x.value[k] * steep[k];
        uxx += x.second[k] * flat[k];
        uxy += x.first[k] * steep[k];
        uyy += x.value[k] * bent[k];
        rate_x += x.first[k] * rate_flat[k];
        rate_y += x.value[k] * rate_steep[k];
      }
      sums_.gradient[0][i] += scale * ux;
      sums_.gradient[1][i] += scale * uy;
      const auto [wx, wy] = past(leaf, {agents_.w[0][i], agents_.w[1][i]}, leaf.velocity[cell]);
      sums_.rate[0][i] += scale * (rate_x + wx * uxx + wy * uxy);
      sums_.rate[1][i] += scale * (rate_y + wx * uxy + wy * uyy);
    }
  }

  const PairKernel<2>& kernel_;
  const double* p_;
  const CellTree<2>& tree_;
  const Cloud<2>& agents_;
  const PairSums<2>& sums_;
  int threads_;
  std::vector<Level> levels_;
};

}  // namespace

void add_far_pairs(const PairKernel<2>& kernel, const double* p, const CellTree<2>& tree, const CellLevel<2>& leaves,
                   const Cloud<2>& agents, const PairSums<2>& sums, int order, int threads) {
  const auto run = [&]<int P>(std::integral_constant<int, P>) {
    Method<P>(kernel, p, tree, agents, sums, threads).run(leaves);
  };
  if (order <= 6) return run(std::integral_constant<int, 6>{});
  if (order <= 8) return run(std::integral_constant<int, 8>{});
  if (order <= 10) return run(std::integral_constant<int, 10>{});
  if (order <= 11) return run(std::integral_constant<int, 11>{});
  return run(std::integral_constant<int, 14>{});
}

int multipole_order(double tolerance) {
  // Of the rate, where it is largest: 200,000 agents whose density falls as 1/r^2 from a millionth of the swarm's size
  // on, and that contract. In a uniform disk errors are 100 to 1000 times smaller.
  constexpr std::array<std::pair<double, int>, 5> measured = {
      {{1e-3, 6}, {1e-4, 8}, {1e-5, 10}, {1e-6, 11}, {1e-8, 14}}};
  for (const auto& [error, order] : measured) {
    if (tolerance >= error) return order;
  }
  return 0;
}

}  // namespace kalaba::swarm
