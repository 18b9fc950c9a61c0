#pragma once

#include <Eigen/Core>
#include <limits>

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/team.hpp"

namespace kalaba::test {

/// Pseudo-inverse of any shape, so that its checks are compiled only once.
class AnyInverse {
 public:
  AnyInverse() = default;
  AnyInverse(const AnyInverse&) = delete;
  AnyInverse& operator=(const AnyInverse&) = delete;
  virtual ~AnyInverse() = default;

  virtual int rows() const = 0;
  virtual int columns() const = 0;
  virtual bool factorize(const Eigen::MatrixXd& b, double rank_tolerance, bool is_warm) = 0;
  virtual double rank() const = 0;
  /// Returns true if the result of a warm start is refined; only for the SVD.
  virtual bool is_inexact() const = 0;
  // The output was NaN before.
  virtual Eigen::VectorXd min_norm(const Eigen::VectorXd& e) = 0;
  virtual Eigen::VectorXd multipliers(const Eigen::VectorXd& e) = 0;
  virtual Eigen::VectorXd project(const Eigen::VectorXd& part) = 0;
  virtual double squared_residual(const Eigen::VectorXd& e) = 0;
};

template <template <class, int, int> class Inverse, int M, int N>
class InverseOf final : public AnyInverse {
 public:
  InverseOf() {
    auto* numbers = reinterpret_cast<double*>(&inverse_);
    for (std::size_t i = 0; i < sizeof(inverse_) / sizeof(double); ++i) numbers[i] = nan;
  }
  int rows() const override { return M; }
  int columns() const override { return N; }
  bool factorize(const Eigen::MatrixXd& b, double rank_tolerance, bool is_warm) override {
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) inverse_.rows(i, j) = b(i, j);
    }
    return inverse_.factorize(Solo{}, rank_tolerance, is_warm);
  }
  double rank() const override { return inverse_.rank(); }
  bool is_inexact() const override {
    if constexpr (requires { inverse_.inexact; }) return inverse_.inexact;
    return false;
  }
  Eigen::VectorXd min_norm(const Eigen::VectorXd& e) override {
    Vec<double, N> x;
    for (int i = 0; i < N; ++i) x[i] = nan;
    inverse_.min_norm(Solo{}, read<M>(e), x);
    return written<N>(x);
  }
  Eigen::VectorXd multipliers(const Eigen::VectorXd& e) override {
    Vec<double, M> lambda;
    for (int i = 0; i < M; ++i) lambda[i] = nan;
    inverse_.multipliers(Solo{}, read<M>(e), lambda);
    return written<M>(lambda);
  }
  Eigen::VectorXd project(const Eigen::VectorXd& part) override {
    Vec<double, N> projected = read<N>(part);
    inverse_.project(Solo{}, projected);
    return written<N>(projected);
  }
  double squared_residual(const Eigen::VectorXd& e) override { return inverse_.squared_residual(read<M>(e)); }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  template <int K>
  static Vec<double, K> read(const Eigen::VectorXd& from) {
    Vec<double, K> to;
    for (int i = 0; i < K; ++i) to[i] = from[i];
    return to;
  }
  template <int K>
  static Eigen::VectorXd written(const Vec<double, K>& from) {
    Eigen::VectorXd to(K);
    for (int i = 0; i < K; ++i) to[i] = from[i];
    return to;
  }

  Inverse<double, M, N> inverse_;
};

}  // namespace kalaba::test
