#pragma once

#include <cmath>
#include <vector>

#include "kalaba/backend/parallel.hpp"
#include "swarm/agent_arrays.hpp"
#include "swarm/chebyshev.hpp"
#include "swarm/multipole_offsets.hpp"
#include "swarm/multipole_pairs.hpp"

namespace kalaba::swarm {

/// Fast multipole method of one order; see multipole.hpp.
template <int D, int P>
class MultipoleMethod {
 public:
  MultipoleMethod(const CellTree<D>& tree, const Cloud<D>& agents, const PairSums<D>& sums, int threads)
      : tree_(tree), agents_(agents), sums_(sums), threads_(threads) {}

  void run(FarTables<D>& tables, const double* p, const CellLevel<D>& leaves) {
    levels_.resize(static_cast<std::size_t>(leaves.level) + 1);
    std::vector<double> widths;
    for (int l = coarsest; l <= leaves.level; ++l) {
      levels_[l].cells = l < leaves.level ? tree_.level(l) : leaves;
      levels_[l].velocity.resize(static_cast<std::size_t>(levels_[l].cells.size()));
      each_cell(l, [&](long cell) { levels_[l].velocity[cell] = mean_velocity(levels_[l].cells, cell); });
      widths.push_back(levels_[l].cells.width);
    }
    const std::vector<const FarTable<D>*> of_widths = tables.of_widths(p, widths, threads_);
    for (int l = coarsest; l <= leaves.level; ++l) levels_[l].table = of_widths[l - coarsest];

    Expansions expansions = none(leaves.level);  // the sources, level by level up
    each_cell(leaves.level, [&](long cell) { gather(cell, expansions[cell]); });
    for (int l = leaves.level; l >= coarsest; --l) {
      if (l < leaves.level) {
        Expansions sources = none(l);
        each_cell(l, [&](long cell) { merge(l, cell, expansions, sources[cell]); });
        expansions.swap(sources);
      }
      compress(levels_[l], expansions);
    }
    expansions = none(coarsest);  // the fields, level by level down
    for (int l = coarsest; l <= leaves.level; ++l) {
      if (l > coarsest) {
        Expansions fields = none(l);
        each_cell(l, [&](long cell) { inherit(l, cell, expansions, fields[cell]); });
        expansions.swap(fields);
      }
      exchange(levels_[l], expansions);
    }
    each_cell(leaves.level, [&](long cell) { evaluate(cell, expansions[cell]); });
  }

 private:
  static constexpr int coarsest = 2;  // above, every cell touches every other
  static constexpr int size = power(P, D);
  static constexpr long cells_at_once = 32;  // fixed, so that a result does not depend on the threads

  /// Expansions of the cells of a level.
  using Expansions = std::vector<Fields<D, P>, Eigen::aligned_allocator<Fields<D, P>>>;
  using Level = MultipoleLevel<D>;

  Expansions none(int level) const {
    return Expansions(static_cast<std::size_t>(levels_[level].cells.size()), Fields<D, P>::Zero());
  }

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
  /// Polynomials of every axis at an agent of a leaf.
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

  /// Sources of a leaf: T_k(x) T_l(y) ... for U, and their derivatives along w (relative to the cell) for its rate.
  void gather(long cell, Fields<D, P>& sums) const {
    constexpr int rows = power(P, D - 1);
    const Level& leaf = levels_.back();
    for (long i = leaf.cells.begin[cell]; i < leaf.cells.begin[cell + 1]; ++i) {
      const auto t = polynomials(leaf.cells, cell, i);
      const Velocity<D> w = past<D>(leaf, velocity_of(i), leaf.velocity[cell]);
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
  }

  static const Conversions<P>& conversions() {
    static const Conversions<P> of_fields(false);
    return of_fields;
  }
  static const Conversions<P>& conversions_of_sources() {
    static const Conversions<P> of_sources(true);
    return of_sources;
  }

  void merge(int l, long cell, const Expansions& below, Fields<D, P>& sum) const {
    const Level& level = levels_[l + 1];
    const Conversions<P>& conversions = conversions_of_sources();
    each_child(l, cell, [&](long child) {
      const CellPlace<D>& place = level.cells.places[child];
      Fields<D, P> sources = below[child];
      move_through<D, P>(past<D>(level, level.velocity[child], levels_[l].velocity[cell]), conversions.slopes, sources);
      sum += transformed<D, P>([&](int d) -> const Square<P>& { return conversions.half[place[d] & 1]; }, sources);
    });
  }
  template <class Work>
  void each_child(int l, long cell, const Work& work) const {
    const CellLevel<D>& below = levels_[l + 1].cells;
    const std::uint64_t key = levels_[l].cells.keys[cell];
    auto child = std::lower_bound(below.keys.begin(), below.keys.end(), key << D);
    for (; child != below.keys.end() && *child >> D == key; ++child) work(child - below.keys.begin());
  }

  void compress(Level& level, const Expansions& sources) const {
    level.sources.resize(level.table->rank(), 2 * level.cells.size());
    parallel_for(level.cells.size(), cells_at_once, threads_, [&](long begin, long end) {
      const Eigen::Map<const Eigen::MatrixXd> whole(sources[begin].data(), size, 2 * (end - begin));
      level.sources.middleCols(2 * begin, 2 * (end - begin)).noalias() = level.table->basis.transpose() * whole;
    });
  }

  void inherit(int l, long cell, const Expansions& above, Fields<D, P>& fields) const {
    const Level& level = levels_[l];
    const CellPlace<D>& place = level.cells.places[cell];
    CellPlace<D> around = place;
    for (long& c : around) c >>= 1;
    const long parent = levels_[l - 1].cells.find(around);
    fields =
        transformed<D, P>([&](int d) -> const Square<P>& { return conversions().half[place[d] & 1]; }, above[parent]);
    move_through<D, P>(past<D>(level, level.velocity[cell], levels_[l - 1].velocity[parent]), conversions().slopes,
                       fields);
  }

  /// Adds to the fields of every cell the contributions of the cells that do not touch it but whose parents touch its
  /// parent.
  void exchange(const Level& level, Expansions& fields) const {
    parallel_for(level.cells.size(), cells_at_once, threads_, [&](long begin, long end) {
      PairBatch<D> batch(level, begin, end);
      int kind = 0;
      for (const auto& offset : offsets<D>().all()) {
        if (offset.kind != kind) batch.pass(kind);
        kind = offset.kind;
        for (long cell = begin; cell < end; ++cell) {
          const long source = partner<D>(level.cells, cell, offset.place);
          if (source < 0) continue;
          batch.add(cell, source, offset.reflected);
          if (batch.full()) batch.pass(kind);
        }
      }
      batch.pass(kind);
      const Eigen::MatrixXd received = level.table->basis * batch.received();
      for (long cell = begin; cell < end; ++cell) {
        const double* const parts = received.col((2 + D) * (cell - begin)).data();
        fields[cell] += Eigen::Map<const Fields<D, P>>(parts);
        each_axis<D>([&](auto axis) {
          fields[cell].col(1) += along<D, P, axis>(conversions().slopes, parts + (2 + axis) * size);
        });
      }
    });
  }
  void evaluate(long cell, const Fields<D, P>& fields) const {
    const Level& leaf = levels_.back();
    const double scale = 2 / leaf.cells.width;
    for (long i = leaf.cells.begin[cell]; i < leaf.cells.begin[cell + 1]; ++i) {
      const auto t = polynomials(leaf.cells, cell, i);
      double u[power(3, D)], rate[power(3, D)];
      derivatives<D - 1, 2>(fields.col(0).data(), t.data(), u);
      derivatives<D - 1, 1>(fields.col(1).data(), t.data(), rate);
      const Velocity<D> w = past<D>(leaf, velocity_of(i), leaf.velocity[cell]);
      for (int d = 0; d < D; ++d) {
        double change = rate[power(3, d)];
        for (int e = 0; e < D; ++e) change += w[e] * u[power(3, d) + power(3, e)];
        sums_.gradient[d][i] += scale * u[power(3, d)];
        sums_.rate[d][i] += scale * change;
      }
    }
  }

  const CellTree<D>& tree_;
  const Cloud<D>& agents_;
  const PairSums<D>& sums_;
  int threads_;
  std::vector<Level> levels_;
};

}  // namespace kalaba::swarm
