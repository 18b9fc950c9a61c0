#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "kalaba/swarm/pair_kernel.hpp"

namespace kalaba::swarm {

/// What cells of one width do to each other through a potential when they do not touch, in few numbers. Sources and
/// fields of a cell are coefficients of products of Chebyshev polynomials, order^D of them, those of the first axis
/// running fastest; all that the potential can tell apart of them lies in the few columns of `basis` (Fong and Darve
/// 2009, section 3.3: 27 of 121 for r in the plane at 1e-7).
template <int D>
struct FarTable {
  Eigen::MatrixXd basis;                          ///< (polynomial, column); orthonormal columns
  std::vector<Eigen::MatrixXd> between;           ///< by kind of offset (multipole_offsets.hpp): (field, source)
  std::array<Eigen::VectorXd, 1 << D> reflected;  ///< by the axes reflected: what becomes of each column, 1 or -1

  long rank() const { return basis.cols(); }
  std::size_t bytes() const {
    return sizeof(double) *
           (static_cast<std::size_t>(basis.size()) + between.size() * static_cast<std::size_t>(rank() * rank()));
  }
};

/// The tables of one potential by the cells' width, which follow each other by factors of two and return as long as a
/// swarm keeps its size: each is made when first asked for, and forgotten when long unused.
template <int D>
class FarTables {
 public:
  /// `truncation`: what the basis leaves out, relative to the largest singular value.
  FarTables(const PairKernel<D>& kernel, int order, double truncation)
      : kernel_(kernel), order_(order), truncation_(truncation) {}

  int order() const { return order_; }
  /// `p`: the law's parameters. What is returned holds until the next call.
  std::vector<const FarTable<D>*> of_widths(const double* p, const std::vector<double>& widths, int threads);

 private:
  struct Known {
    double width;
    FarTable<D> table;
    long used;  ///< the call that used it last
  };
  const PairKernel<D>& kernel_;
  int order_;
  double truncation_;
  std::vector<double> parameters_;  ///< of the tables known
  std::vector<Known> known_;
  long calls_ = 0;
};

}  // namespace kalaba::swarm
