#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "kalaba/swarm/pair_kernel.hpp"

namespace kalaba::swarm {

/// Compressed interaction, through a potential, of cells of one width that do not touch. Sources and fields of a cell
/// are coefficients of products of Chebyshev polynomials, order^D of them, with the first axis fastest. The few columns
/// of `basis` span the part that the potential resolves (Fong and Darve 2009, section 3.3: 27 of 121 for r in the plane
/// at 1e-7).
template <int D>
struct FarTable {
  Eigen::MatrixXd basis;                          ///< (polynomial, column); orthonormal columns
  std::vector<Eigen::MatrixXd> between;           ///< by kind of offset (multipole_offsets.hpp): (field, source)
  std::array<Eigen::VectorXd, 1 << D> reflected;  ///< by the axes reflected: sign of each column, 1 or -1

  long rank() const { return basis.cols(); }
  std::size_t bytes() const {
    return sizeof(double) *
           (static_cast<std::size_t>(basis.size()) + between.size() * static_cast<std::size_t>(rank() * rank()));
  }
};

/// Tables of one potential by the cells' width. Widths are related by factors of two and repeat as long as a swarm
/// keeps its size: each table is created on first use and discarded when it is unused for a long time.
template <int D>
class FarTables {
 public:
  /// `truncation`: discarded part of the basis, relative to the largest singular value.
  FarTables(const PairKernel<D>& kernel, int order, double truncation)
      : kernel_(kernel), order_(order), truncation_(truncation) {}

  int order() const { return order_; }
  /// `p`: the law's parameters. The returned pointers are valid until the next call.
  std::vector<const FarTable<D>*> of_widths(const double* p, const std::vector<double>& widths, int threads);

 private:
  struct Known {
    double width;
    FarTable<D> table;
    long used;  ///< last call that used it
  };
  const PairKernel<D>& kernel_;
  int order_;
  double truncation_;
  std::vector<double> parameters_;  ///< of the stored tables
  std::vector<Known> known_;
  long calls_ = 0;
};

}  // namespace kalaba::swarm
