#include <algorithm>
#include <cmath>
#include <limits>

#include "scenario/sampling/correlated.hpp"

namespace kalaba {
namespace {

/// Factorization in progress, of a matrix scaled to a unit diagonal.
class Factorization {
 public:
  Factorization(const std::vector<double>& matrix, std::size_t size)
      : size_(size), rest_(matrix), scale_(size, 1.0), tolerance_(8 * static_cast<double>(size) * epsilon) {
    for (std::size_t i = 0; i < size; ++i) {
      if (matrix[i * size + i] > 0) scale_[i] = std::sqrt(matrix[i * size + i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) rest(i, j) = rest(i, j) / scale_[i] / scale_[j];
    }
    result_.lower.resize(matrix.size());
  }

  SemiDefiniteFactor run() && {
    for (std::size_t k = 0; k < size_ && result_.minor.empty(); ++k) check_exactly(k);
    for (std::size_t k = 0; k < size_ && result_.minor.empty(); ++k) eliminate(k);
    if (!result_.minor.empty()) result_.lower.clear();
    return std::move(result_);
  }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  double& rest(std::size_t row, std::size_t column) { return rest_[row * size_ + column]; }

  /// Refuses exact violations, independent of rounding: a negative variance, and a variance of 0 with a nonzero
  /// covariance.
  void check_exactly(std::size_t k) {
    if (rest(k, k) < 0) return refuse(k, k, rest(k, k));
    for (std::size_t i = 0; i < size_ && rest(k, k) == 0; ++i) {
      if (rest(i, k) != 0) return refuse(std::min(i, k), std::max(i, k), -rest(i, k) * rest(i, k));
    }
  }

  void eliminate(std::size_t k) {
    const double pivot = rest(k, k);
    if (pivot < -tolerance_) return refuse(k, k, pivot);
    if (pivot <= tolerance_) {
      for (std::size_t i = k + 1; i < size_; ++i) {
        if (std::abs(rest(i, k)) > std::sqrt(tolerance_)) return refuse(k, i, -rest(i, k) * rest(i, k));
      }
      return;
    }
    used_.push_back(k);
    pivots_ *= pivot * scale_[k] * scale_[k];
    for (std::size_t i = k; i < size_; ++i) {
      result_.lower[i * size_ + k] = scale_[i] * rest(i, k) / std::sqrt(pivot);
      for (std::size_t j = k + 1; j <= i; ++j) rest(i, j) -= rest(i, k) * rest(j, k) / pivot;
    }
  }

  /// Stores the minor of the rows with a pivot, k and i. `determinant`: that of rows k and i after elimination of the
  /// rows before.
  void refuse(std::size_t k, std::size_t i, double determinant) {
    result_.minor = used_;
    for (const std::size_t row : {k, i}) {
      determinant *= row == i && i == k ? scale_[k] : scale_[row] * scale_[row];
      if (result_.minor.empty() || result_.minor.back() != row) result_.minor.push_back(row);
    }
    result_.determinant = pivots_ * determinant;
  }

  std::size_t size_;
  std::vector<double> rest_;
  std::vector<double> scale_;
  double tolerance_;
  std::vector<std::size_t> used_;  // rows with a pivot
  double pivots_ = 1;              // product of the pivots, without scaling
  SemiDefiniteFactor result_;
};

}  // namespace

SemiDefiniteFactor semi_definite_factor(const std::vector<double>& matrix, std::size_t size) {
  return Factorization(matrix, size).run();
}

}  // namespace kalaba
