#include "swarm/far_table.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <bit>
#include <cmath>

#include "kalaba/backend/parallel.hpp"
#include "swarm/chebyshev.hpp"
#include "swarm/multipole_offsets.hpp"

namespace kalaba::swarm {
namespace {

constexpr long calls_remembered = 8;  // at least four calls per step of RK4
constexpr std::size_t bytes_remembered = std::size_t{1} << 28;

using Indices = std::vector<Eigen::Index>;

/// Computes a table. A permutation of axes maps every offset to one with ascending coordinates (5 in the plane, 16 in
/// space); the potential is evaluated only for these.
template <int D>
class Maker {
 public:
  Maker(const PairKernel<D>& kernel, const double* p, int order, double width, int threads)
      : kernel_(kernel), p_(p), order_(order), size_(power(order, D)), width_(width), threads_(threads) {
    for (const CellPlace<D>& kind : offsets<D>().kinds()) {
      std::array<int, D> axes;
      for (int d = 0; d < D; ++d) axes[d] = d;
      std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return kind[a] < kind[b]; });
      CellPlace<D> ascending;
      for (int d = 0; d < D; ++d) ascending[d] = kind[axes[d]];
      const auto known = std::find(ascending_.begin(), ascending_.end(), ascending);
      permuted_.push_back({known - ascending_.begin(), axes});
      if (known == ascending_.end()) ascending_.push_back(ascending);
    }
  }

  FarTable<D> make(double truncation) {
    coefficients_.resize(ascending_.size());
    in_parallel(ascending_.size(), [&](long i) { coefficients_[i] = coefficients(ascending_[i]); });
    FarTable<D> table;
    set_basis(truncation, table);
    table.between.resize(permuted_.size());
    in_parallel(permuted_.size(), [&](long i) {
      const Eigen::MatrixXd turned = permuted_rows(table.basis, permuted_[i].axes);
      table.between[i].noalias() = turned.transpose() * (coefficients_[permuted_[i].ascending] * turned);
    });
    return table;
  }

 private:
  struct Permuted {
    std::ptrdiff_t ascending;  ///< index
    std::array<int, D> axes;   ///< of the offset, in ascending order of distance
  };

  template <class Work>
  void in_parallel(std::size_t count, const Work& work) const {
    parallel_for(static_cast<long>(count), 1, threads_, [&](long begin, long end) {
      for (long i = begin; i < end; ++i) work(i);
    });
  }

  int degree(Eigen::Index polynomial, int axis) const {
    return static_cast<int>(polynomial) / power(order_, axis) % order_;
  }
  /// Returns the polynomial to which a permutation of the axes maps one.
  Eigen::Index permuted(Eigen::Index polynomial, const std::array<int, D>& axes) const {
    Eigen::Index to = 0;
    for (int d = 0; d < D; ++d) to += degree(polynomial, axes[d]) * power(order_, d);
    return to;
  }
  Eigen::MatrixXd permuted_rows(const Eigen::MatrixXd& basis, const std::array<int, D>& axes) const {
    Eigen::MatrixXd rows(basis.rows(), basis.cols());
    for (Eigen::Index i = 0; i < size_; ++i) rows.row(permuted(i, axes)) = basis.row(i);
    return rows;
  }

  /// G between two cells by Chebyshev interpolation in both: (polynomial of the target, polynomial of the source), for
  /// a source `offset` cells away.
  Eigen::MatrixXd coefficients(const CellPlace<D>& offset) const {
    const Eigen::VectorXd nodes = chebyshev_nodes(order_);
    Eigen::MatrixXd values(size_, size_);  // distances at first
    for (Eigen::Index source = 0; source < size_; ++source) {
      for (Eigen::Index target = 0; target < size_; ++target) {
        double square = 0;
        for (int d = 0; d < D; ++d) {
          const double apart =
              nodes[degree(target, d)] - nodes[degree(source, d)] - 2.0 * static_cast<double>(offset[d]);
          square += apart * apart;
        }
        values(target, source) = std::sqrt(square) * width_ / 2;
      }
    }
    kernel_.potential(p_, values.data(), values.data(), values.size());
    // Transforms the first axis to coefficients and moves it to the end, 2 D times.
    const Eigen::MatrixXd to_coefficients = chebyshev_weights(order_);
    Eigen::MatrixXd next(size_, size_);
    const Eigen::Index others = values.size() / order_;
    for (int axis = 0; axis < 2 * D; ++axis) {
      Eigen::Map<Eigen::MatrixXd>(next.data(), others, order_).noalias() =
          Eigen::Map<const Eigen::MatrixXd>(values.data(), order_, others).transpose() * to_coefficients;
      values.swap(next);
    }
    values(0, 0) = 0;  // a constant, which has no gradient
    return values;
  }

  /// Left singular vectors for all offsets together, above the truncation. The potential is even: the vectors form
  /// classes by the axes along which they are odd, so that a reflection only changes signs.
  void set_basis(double truncation, FarTable<D>& table) const {
    constexpr unsigned classes = 1U << D;
    std::array<Indices, classes> members;
    for (Eigen::Index i = 0; i < size_; ++i) {
      unsigned odd = 0;
      for (int d = 0; d < D; ++d) odd |= static_cast<unsigned>(degree(i, d) % 2) << d;
      members[odd].push_back(i);
    }
    std::array<Eigen::MatrixXd, classes> vectors;
    std::array<Eigen::VectorXd, classes> values;
    in_parallel(classes, [&](long odd) {
      const Eigen::MatrixXd triangle = folded(members[odd]);
      if (triangle.allFinite()) {
        const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(triangle, Eigen::ComputeFullV);
        vectors[odd] = svd.matrixV();
        values[odd] = svd.singularValues();
      } else {  // NaN: every sum that uses the table becomes NaN
        vectors[odd] = Eigen::MatrixXd::Constant(triangle.cols(), 1, NAN);
        values[odd] = Eigen::VectorXd::Constant(1, NAN);
      }
    });
    double largest = 0;
    for (const Eigen::VectorXd& v : values) largest = std::max(largest, v[0]);
    table.basis = Eigen::MatrixXd::Zero(size_, size_);
    Eigen::Index rank = 0;
    for (Eigen::VectorXd& signs : table.reflected) signs.resize(size_);
    for (unsigned odd = 0; odd < classes; ++odd) {
      for (Eigen::Index k = 0; k < values[odd].size() && !(values[odd][k] <= truncation * largest); ++k, ++rank) {
        for (std::size_t i = 0; i < members[odd].size(); ++i) {
          table.basis(members[odd][i], rank) = vectors[odd](static_cast<Eigen::Index>(i), k);
        }
        for (unsigned axes = 0; axes < classes; ++axes) {
          table.reflected[axes][rank] = std::popcount(axes & odd) % 2 == 0 ? 1 : -1;
        }
      }
    }
    table.basis.conservativeResize(Eigen::NoChange, rank);
    for (Eigen::VectorXd& signs : table.reflected) signs.conservativeResize(rank);
  }
  /// Triangle R of the QR decomposition of these coefficients for all kinds of offset, one kind after the other.
  Eigen::MatrixXd folded(const Indices& members) const {
    const auto count = static_cast<Eigen::Index>(members.size());
    Eigen::MatrixXd stack(count + size_, count);
    stack.topRows(count).setZero();
    for (const auto& [ascending, axes] : permuted_) {
      for (Eigen::Index i = 0; i < count; ++i) {
        stack.col(i).tail(size_) = coefficients_[ascending].row(permuted(members[i], axes)).transpose();
      }
      const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(stack);
      stack.topRows(count).template triangularView<Eigen::StrictlyLower>().setZero();
    }
    return stack.topRows(count);
  }

  const PairKernel<D>& kernel_;
  const double* p_;
  int order_;
  Eigen::Index size_;
  double width_;
  int threads_;
  std::vector<CellPlace<D>> ascending_;
  std::vector<Permuted> permuted_;  ///< by kind of offset
  std::vector<Eigen::MatrixXd> coefficients_;
};

}  // namespace

template <int D>
std::vector<const FarTable<D>*> FarTables<D>::of_widths(const double* p, const std::vector<double>& widths,
                                                        int threads) {
  const std::vector<double> parameters(p, p + kernel_.parameter_count());
  if (parameters != parameters_) known_.clear();
  parameters_ = parameters;
  ++calls_;
  std::size_t bytes = 0;
  for (const Known& known : known_) bytes += known.table.bytes();
  const long remembered = bytes > bytes_remembered ? 1 : calls_remembered;
  std::erase_if(known_, [&](const Known& known) { return calls_ - known.used > remembered; });
  const auto known_of = [&](double width) {
    return std::find_if(known_.begin(), known_.end(), [&](const Known& known) { return known.width == width; });
  };
  for (const double width : widths) {
    auto known = known_of(width);
    if (known == known_.end()) {
      known_.push_back({width, Maker<D>(kernel_, p, order_, width, threads).make(truncation_), calls_});
    } else {
      known->used = calls_;
    }
  }
  std::vector<const FarTable<D>*> tables;
  for (const double width : widths) tables.push_back(&known_of(width)->table);
  return tables;
}

template class FarTables<2>;
template class FarTables<3>;

}  // namespace kalaba::swarm
