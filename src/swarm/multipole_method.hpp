#pragma once

#include <cmath>
#include <vector>

#include "kalaba/backend/parallel.hpp"
#include "swarm/agent_arrays.hpp"
#include "swarm/multipole_offsets.hpp"

namespace kalaba::swarm {

/// The fast multipole method of an order; multipole.hpp states it.
template <int D, int P>
class Method {
 public:
  Method(const PairKernel<D>& kernel, const double* p, const CellTree<D>& tree, const Cloud<D>& agents,
         const PairSums<D>& sums, int threads)
      : kernel_(kernel), p_(p), tree_(tree), agents_(agents), sums_(sums), threads_(threads) {}

  void run(const CellLevel<D>& leaves) {
    levels_.resize(static_cast<std::size_t>(leaves.level) + 1);
    for (int l = coarsest; l < leaves.level; ++l) levels_[l].cells = tree_.level(l);
    levels_.back().cells = leaves;
    for (int l = coarsest; l <= leaves.level; ++l) {
      levels_[l].sources.resize(static_cast<std::size_t>(levels_[l].cells.size()));
      levels_[l].fields.assign(levels_[l].sources.size(), Fields<D, P>::Zero());
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
  static constexpr int size = power(P, D);
  static constexpr long cells_at_once = 32;  // fixed, so that a result does not depend on the threads

  struct Level {
    CellLevel<D> cells;
    std::vector<Fields<D, P>, Eigen::aligned_allocator<Fields<D, P>>> sources;
    std::vector<Fields<D, P>, Eigen::aligned_allocator<Fields<D, P>>> fields;
    std::vector<Velocity<D>> velocity;  ///< of a cell: the mean of its agents'
  };

  template <class Work>
  void each_cell(int level, const Work& work) const {
    parallel_for(levels_[level].cells.size(), cells_at_once, threads_, [&](long begin, long end) {
      for (long cell = begin; cell < end; ++cell) work(cell);
    });
  }

  double middle(const CellLevel<D>& cells, long cell, int axis) const {
    return tree_.low(axis) + (static_cast<double>(cells.places[cell][axis]) + 0.5) * cells.width;
  }

  Velocity<D> mean_velocity(const CellLevel<D>& cells, long cell) const {
    const long first = cells.begin[cell];
    const long count = cells.begin[cell + 1] - first;
    Velocity<D> mean;
    for (int d = 0; d < D; ++d) mean[d] = sum_of(agents_.w[d] + first, count) / static_cast<double>(count);
    return mean;
  }
  /// How fast a cell moves past another, in halves of this level's width.
  static Velocity<D> past(const Level& level, const Velocity<D>& cell, const Velocity<D>& other) {
    Velocity<D> apart = cell - other;
    for (double& w : apart) w = w * 2 / level.cells.width;
    return apart;
  }

  /// The polynomials of every axis at an agent of a leaf.
  std::array<Polynomials<P>, D> polynomials(const CellLevel<D>& cells, long cell, long agent) const {
    const double scale = 2 / cells.width;
    const auto at = [&](int d) { return Polynomials<P>((agents_.x[d][agent] - middle(cells, cell, d)) * scale); };
    if constexpr (D == 2) return {at(0), at(1)};
    if constexpr (D == 3) return {at(0), at(1), at(2)};
  }
  Velocity<D> velocity_of(long agent) const {
    Velocity<D> w;
    for (int d = 0; d < D; ++d) w[d] = agents_.w[d][agent];
    return w;
  }

  /// The sources of a leaf: l_a(x) l_b(y) ... for U, their derivatives along w (seen from the cell) for its rate.
  void gather(long cell) {
    constexpr int rows = power(P, D - 1);
    Level& leaf = levels_.back();
    Fields<D, P> sums = Fields<D, P>::Zero();  // over polynomials, [l * P + k] for T_k(x) T_l(y)
    for (long i = leaf.cells.begin[cell]; i < leaf.cells.begin[cell + 1]; ++i) {
      const auto t = polynomials(leaf.cells, cell, i);
      const Velocity<D> w = past(leaf, velocity_of(i), leaf.velocity[cell]);
      double others[rows], slopes[rows];  // the products of the axes but the first, and their derivatives along w
      others[0] = 1;
      slopes[0] = 0;
      for (int d = 1, known = 1; d < D; ++d, known *= P) {
        for (int l = P - 1; l >= 0; --l) {
          for (int r = 0; r < known; ++r) {
            slopes[l * known + r] = slopes[r] * t[d].value[l] + others[r] * (w[d] * t[d].first[l]);
            others[l * known + r] = others[r] * t[d].value[l];
          }
        }
      }
      for (int r = 0; r < rows; ++r) {
        double* u = sums.col(0).data() + r * P;
        double* v = sums.col(1).data() + r * P;
        const double across = w[0] * others[r];
        for (int k = 0; k < P; ++k) {
          u[k] += t[0].value[k] * others[r];
          v[k] += t[0].first[k] * across + t[0].value[k] * slopes[r];
        }
      }
    }
    leaf.sources[cell] = transformed<D, P>([](int) -> const Square<P>& { return nodes().weights; }, sums);
  }

  static const Nodes<P>& nodes() {
    static const Nodes<P> nodes;
    return nodes;
  }

  void merge(int l, long cell) {
    const Level& below = levels_[l + 1];
    const Square<P> adjoint = nodes().slopes.transpose();
    Fields<D, P> sum = Fields<D, P>::Zero();
    each_child(l, cell, [&](long child) {
      const CellPlace<D>& place = below.cells.places[child];
      Fields<D, P> sources = below.sources[child];
      move_through<D, P>(past(below, below.velocity[child], levels_[l].velocity[cell]), adjoint, sources);
      sum += transformed<D, P>([&](int d) -> const Square<P>& { return nodes().to_parent[place[d] & 1]; }, sources);
    });
    levels_[l].sources[cell] = sum;
  }
  template <class Work>
  void each_child(int l, long cell, const Work& work) const {
    const CellLevel<D>& below = levels_[l + 1].cells;
    const std::uint64_t key = levels_[l].cells.keys[cell];
    auto child = std::lower_bound(below.keys.begin(), below.keys.end(), key << D);
    for (; child != below.keys.end() && *child >> D == key; ++child) work(child - below.keys.begin());
  }

  void inherit(int l, long cell) {
    const CellPlace<D>& place = levels_[l].cells.places[cell];
    CellPlace<D> above = place;
    for (long& c : above) c >>= 1;
    const long parent = levels_[l - 1].cells.find(above);
    Fields<D, P> fields = transformed<D, P>(
        [&](int d) -> const Square<P>& { return nodes().from_parent[place[d] & 1]; }, levels_[l - 1].fields[parent]);
    move_through<D, P>(past(levels_[l], levels_[l].velocity[cell], levels_[l - 1].velocity[parent]), nodes().slopes,
                       fields);
    levels_[l].fields[cell] += fields;
  }

  /// G between the nodes of two cells, the source's `offset` cells away: (node of the target, node of the source).
  Eigen::MatrixXd between_nodes(const CellPlace<D>& offset, double width) const {
    Eigen::MatrixXd distance(size, size);
    for (int source = 0; source < size; ++source) {
      for (int target = 0; target < size; ++target) {
        double square = 0;
        for (int d = 0, step = 1; d < D; ++d, step *= P) {
          const double apart = nodes().place[target / step % P] - nodes().place[source / step % P] -
                               2.0 * static_cast<double>(offset[d]);
          square += apart * apart;
        }
        distance(target, source) = std::sqrt(square) * width / 2;
      }
    }
    Eigen::MatrixXd values(size, size);
    kernel_.potential(p_, distance.data(), values.data(), distance.size());
    return values;
  }

  /// Takes the fields of every cell from the cells that do not touch it but whose parents touch its parent.
  void exchange(Level& level) {
    const auto& kinds = offsets_.kinds();
    std::vector<Eigen::MatrixXd> matrices(kinds.size());
    parallel_for(static_cast<long>(kinds.size()), 1, threads_, [&](long begin, long end) {
      for (long i = begin; i < end; ++i) matrices[i] = between_nodes(kinds[i], level.cells.width);
    });
    parallel_for(level.cells.size(), cells_at_once, threads_, [&](long begin, long end) {
      Batch batch(level, begin, end);
      int kind = 0;
      for (const auto& offset : offsets_.all()) {
        if (offset.kind != kind) batch.pass(matrices[kind]);
        kind = offset.kind;
        for (long cell = begin; cell < end; ++cell) {
          const long source = partner(level.cells, cell, offset.place);
          if (source < 0) continue;
          batch.add(cell, source, offset.turned);
          if (batch.full()) batch.pass(matrices[kind]);
        }
      }
      batch.pass(matrices[kind]);
      batch.carry();
    });
  }
  /// Pairs of interacting cells of one kind of offset, for one product of matrices. The targets are begin … end - 1.
  class Batch {
   public:
    Batch(Level& level, long begin, long end)
        : level_(level),
          begin_(begin),
          in_(size, 2 * pairs_at_once),
          out_(size, 2 * pairs_at_once),
          carried_(Eigen::MatrixXd::Zero(size, D * (end - begin))) {}

    bool full() const { return count_ == pairs_at_once; }
    void add(long target, long source, const int* turned) {
      const double* const from = level_.sources[source].data();
      double* const to = in_.col(2 * count_).data();
      for (int n = 0; n < size; ++n) {
        to[turned[n]] = from[n];
        to[turned[n] + size] = from[n + size];
      }
      pairs_[count_++] = {target, source, turned};
    }
    void pass(const Eigen::MatrixXd& matrix) {
      if (count_ == 0) return;
      out_.leftCols(2 * count_).noalias() = matrix * in_.leftCols(2 * count_);
      for (long k = 0; k < count_; ++k) {
        const auto [target, source, turned] = pairs_[k];
        const double* const from = out_.col(2 * k).data();
        Fields<D, P> fields;
        for (int n = 0; n < size; ++n) {
          fields(n, 0) = from[turned[n]];
          fields(n, 1) = from[turned[n] + size];
        }
        level_.fields[target] += fields;
        const Velocity<D> w = past(level_, level_.velocity[target], level_.velocity[source]);
        for (int d = 0; d < D; ++d) carried_.col(D * (target - begin_) + d) += w[d] * fields.col(0);
      }
      count_ = 0;
    }
    /// Adds to the rates what comes of the targets' moving past their sources.
    void carry() {
      for (long i = 0; i < carried_.cols() / D; ++i) {
        each_axis<D>([&](auto axis) {
          level_.fields[begin_ + i].col(1) += along<D, P, axis>(nodes().slopes, carried_.col(D * i + axis).data());
        });
      }
    }

   private:
    static constexpr long pairs_at_once = 128;

    struct Pair {
      long target, source;
      const int* turned;
    };
    Level& level_;
    long begin_;
    Eigen::MatrixXd in_, out_;  // two columns a pair: U and its rate
    Eigen::MatrixXd carried_;   // D columns a target: U times its velocity past the sources
    std::array<Pair, pairs_at_once> pairs_;
    long count_ = 0;
  };
  static long partner(const CellLevel<D>& cells, long cell, const CellPlace<D>& offset) {
    const CellPlace<D>& from = cells.places[cell];
    CellPlace<D> place;
    for (int d = 0; d < D; ++d) {
      place[d] = from[d] + offset[d];
      if (std::abs((place[d] >> 1) - (from[d] >> 1)) > 1) return -1;
    }
    return cells.find(place);
  }

  void evaluate(long cell) const {
    const Level& leaf = levels_.back();
    const double scale = 2 / leaf.cells.width;
    const Square<P> weights = nodes().weights.transpose();
    const Fields<D, P> fields = transformed<D, P>([&](int) -> const Square<P>& { return weights; }, leaf.fields[cell]);
    for (long i = leaf.cells.begin[cell]; i < leaf.cells.begin[cell + 1]; ++i) {
      const auto t = polynomials(leaf.cells, cell, i);
      double u[power(3, D)], rate[power(3, D)];
      derivatives<D - 1, 2>(fields.col(0).data(), t.data(), u);
      derivatives<D - 1, 1>(fields.col(1).data(), t.data(), rate);
      const Velocity<D> w = past(leaf, velocity_of(i), leaf.velocity[cell]);
      for (int d = 0; d < D; ++d) {
        double change = rate[power(3, d)];
        for (int e = 0; e < D; ++e) change += w[e] * u[power(3, d) + power(3, e)];
        sums_.gradient[d][i] += scale * u[power(3, d)];
        sums_.rate[d][i] += scale * change;
      }
    }
  }

  const PairKernel<D>& kernel_;
  const double* p_;
  const CellTree<D>& tree_;
  const Cloud<D>& agents_;
  const PairSums<D>& sums_;
  int threads_;
  Offsets<D, P> offsets_;
  std::vector<Level> levels_;
};

}  // namespace kalaba::swarm
