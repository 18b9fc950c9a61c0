#pragma once

#include <Eigen/Dense>

#include "quadrics.hpp"

namespace kalaba::peers {

/// bench::Quadrics as a user of Eigen would write it: fixed sizes (measured faster than thin factors of bounded or
/// dynamic ones), A and b by hand, B+ e by Eigen's decomposition at every RK4 stage.
template <int Size, bool svd>
class EigenQuadrics {
 public:
  static constexpr int n = bench::Quadrics<Size>::n;
  static constexpr int m = bench::Quadrics<Size>::m;
  using State = Eigen::Matrix<double, 2 * n, 1>;
  using Rows = Eigen::Matrix<double, m, n>;

  explicit EigenQuadrics(double k) : k_(k) {
    for (int r = 0; r < m; ++r) {
      for (int i = 0; i < n; ++i) {
        bend_(r, i) = bench::bend(r, i);
        slope_(r, i) = bench::slope(r, i);
      }
    }
    for (int i = 0; i < n; ++i) inverse_root_mass_[i] = 1 / std::sqrt(1.0 + 0.1 * (i % 3));
  }

  void step(State& y, double dt) {
    const State k1 = rate(y);
    const State k2 = rate(y + 0.5 * dt * k1);
    const State k3 = rate(y + 0.5 * dt * k2);
    const State k4 = rate(y + dt * k3);
    y += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

 private:
  using Vector = Eigen::Matrix<double, n, 1>;

  State rate(const State& y) {
    const auto q = y.template head<n>();
    const auto w = y.template tail<n>();
    const Rows a = bend_ * q.asDiagonal() + slope_;
    const Eigen::Matrix<double, m, 1> b = -(bend_ * w.cwiseAbs2());
    const Vector free = -k_ * q.cwiseProduct(inverse_root_mass_.cwiseAbs2());
    const Rows weighted = a * inverse_root_mass_.asDiagonal();
    const Eigen::Matrix<double, m, 1> error = b - a * free;
    State rate;
    rate << w, free + inverse_root_mass_.asDiagonal() * solve(weighted, error);
    return rate;
  }

  Vector solve(const Rows& weighted, const Eigen::Matrix<double, m, 1>& error) {
    if constexpr (svd) {
      svd_.compute(weighted);
      svd_.setThreshold(1e-6);
      return svd_.solve(error);
    } else {
      cod_.setThreshold(1e-6);
      cod_.compute(weighted);
      return cod_.solve(error);
    }
  }

  double k_;
  Rows bend_;
  Rows slope_;
  Vector inverse_root_mass_;
  Eigen::JacobiSVD<Rows> svd_{m, n, Eigen::ComputeFullU | Eigen::ComputeFullV};
  Eigen::CompleteOrthogonalDecomposition<Rows> cod_;
};

}  // namespace kalaba::peers
