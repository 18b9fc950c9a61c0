#pragma once

#include <Eigen/Core>

#include "fit/normal_sums.hpp"

namespace kalaba::fit {

enum class Outcome {
  searching,
  converged,
  out_of_iterations,
  stuck,  ///< every motion near the present values fails
  failed  ///< the motion of the first values fails
};

/// Minimizes a sum of squares within bounds by the method of Levenberg [1944] and Marquardt [1963]: steps of
///
///     (JᵀJ + λ D) δ = −Jᵀ r      D: the largest diagonal of JᵀJ so far, which makes steps free of units [Moré 1978]
///
/// with λ from the ratio of the actual to the predicted decrease [Nielsen 1999], over the variables that are not at a
/// bound, truncated at the bounds. The caller evaluates `trial` and passes the result to `take`, so that many searches
/// share one run.
class LevenbergMarquardt {
 public:
  /// `least`: a variable whose diagonal of JᵀJ is at most this has no effect except rounding, and stays.
  LevenbergMarquardt(const Eigen::VectorXd& first, const Eigen::VectorXd& low, const Eigen::VectorXd& high,
                     const Eigen::VectorXd& least, int most_iterations);

  const Eigen::VectorXd& trial() const { return trial_; }
  void take(const NormalEquations& at_trial);

  Outcome outcome() const { return outcome_; }
  const Eigen::VectorXd& values() const { return values_; }
  double cost() const { return at_values_.cost; }
  Status status() const { return status_; }
  bool overflows() const { return overflows_; }
  int iterations() const { return iterations_; }

 private:
  void accept(const NormalEquations& at_trial);
  void reject(bool is_usable);
  void propose();
  std::vector<Eigen::Index> free_variables() const;
  bool is_stationary(const std::vector<Eigen::Index>& free) const;
  Eigen::VectorXd step(const std::vector<Eigen::Index>& free, double damping) const;
  double gain(const Eigen::VectorXd& step) const;
  bool is_small(const Eigen::VectorXd& step, double share) const;
  void finish();

  Eigen::VectorXd low_;
  Eigen::VectorXd high_;
  Eigen::VectorXd least_;
  int most_iterations_;
  Eigen::VectorXd values_;
  Eigen::VectorXd trial_;
  NormalEquations at_values_;
  Eigen::VectorXd scale_;    // D
  double damping_ = 1e-3;    // λ
  double growth_ = 2;        // of λ after the next rejection
  double predicted_ = 0;     // predicted decrease of the cost by the trial
  bool any_failed_ = false;  // of the motions after the first
  bool has_begun_ = false;
  int iterations_ = 0;
  Status status_ = Status::ok;  // of the last unusable motion
  bool overflows_ = false;      // its cost is not finite
  Outcome outcome_ = Outcome::searching;
};

}  // namespace kalaba::fit
