#pragma once

#include <Eigen/Dense>
#include <cmath>

namespace kalaba::peers {

/// B+ e by Eigen's JacobiSVD, whose decomposition object is reused between calls.
class JacobiSvdSolve {
 public:
  using Matrix = Eigen::Matrix<double, 3, 4>;
  Eigen::Vector4d operator()(const Matrix& b, const Eigen::Vector3d& e) {
    svd_.compute(b);
    svd_.setThreshold(1e-6);
    return svd_.solve(e);
  }

 private:
  Eigen::JacobiSVD<Matrix> svd_{3, 4, Eigen::ComputeFullU | Eigen::ComputeFullV};
};

/// B+ e by Eigen's CompleteOrthogonalDecomposition.
class CodSolve {
 public:
  using Matrix = Eigen::Matrix<double, 3, 4>;
  Eigen::Vector4d operator()(const Matrix& b, const Eigen::Vector3d& e) {
    cod_.setThreshold(1e-6);
    cod_.compute(b);
    return cod_.solve(e);
  }

 private:
  Eigen::CompleteOrthogonalDecomposition<Matrix> cod_;
};

/// two_particles_incline as a user of Eigen would write it: fixed sizes, A and b by hand (Udwadia 2016, eq. 55), B+ e
/// by Solve at every RK4 stage.
template <class Solve>
class EigenTwoParticles {
 public:
  using State = Eigen::Matrix<double, 8, 1>;  ///< q, p
  using Matrix = Eigen::Matrix<double, 3, 4>;

  EigenTwoParticles(double m1, double m2, double alpha, double g) : m1_(m1), m2_(m2), pull_(-g * std::sin(alpha)) {
    root_mass_ << std::sqrt(m1), std::sqrt(m1), std::sqrt(m2), std::sqrt(m2);
  }

  void step(State& y, double dt) {
    const State k1 = rate(y);
    const State k2 = rate(y + 0.5 * dt * k1);
    const State k3 = rate(y + 0.5 * dt * k2);
    const State k4 = rate(y + dt * k3);
    y += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

 private:
  State rate(const State& y) {
    const double dx = y[0] - y[2];
    const double dy = y[1] - y[3];
    const double p12 = y[4] * y[6] + y[5] * y[7];
    const double p1 = y[4] * y[4] + y[5] * y[5];
    const double p2 = y[6] * y[6] + y[7] * y[7];
    Matrix a;
    a << dx / m1_, dy / m1_, -dx / m2_, -dy / m2_,  //
        dx / m1_, dy / m1_, 0, 0,                   //
        0, 0, dx / m2_, dy / m2_;
    const Eigen::Vector3d b(2 * p12 / (m1_ * m2_) - p1 / (m1_ * m1_) - p2 / (m2_ * m2_),
                            p12 / (m1_ * m2_) - p1 / (m1_ * m1_), p2 / (m2_ * m2_) - p12 / (m1_ * m2_));
    const Eigen::Vector4d free(0, pull_ * m1_, 0, pull_ * m2_);
    const Matrix weighted = a * root_mass_.asDiagonal();  // A H_pp^(-1/2)
    State rate;
    rate << y[4] / m1_, y[5] / m1_, y[6] / m2_, y[7] / m2_,
        free + root_mass_.asDiagonal() * solve_(weighted, b - a * free);
    return rate;
  }

  double m1_;
  double m2_;
  double pull_;
  Eigen::Vector4d root_mass_;
  Solve solve_;
};

}  // namespace kalaba::peers
