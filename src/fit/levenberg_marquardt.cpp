#include "fit/levenberg_marquardt.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace kalaba::fit {
namespace {

constexpr double small_share = 1e-10;     // of the cost: actual or predicted decrease by a step
constexpr double small_step = 1e-10;      // of the values, in the norm of D
constexpr double small_cosine = 1e-10;    // between the residuals and a column of J
constexpr double largest_damping = 1e30;  // larger λ give steps of zero

}  // namespace

LevenbergMarquardt::LevenbergMarquardt(const Eigen::VectorXd& first, const Eigen::VectorXd& low,
                                       const Eigen::VectorXd& high, const Eigen::VectorXd& least, int most_iterations)
    : low_(low),
      high_(high),
      least_(least),
      most_iterations_(most_iterations),
      values_(first),
      trial_(first),
      scale_(Eigen::VectorXd::Zero(first.size())) {
  at_values_.cost = std::numeric_limits<double>::infinity();
}

void LevenbergMarquardt::take(const NormalEquations& at_trial) {
  const bool usable = at_trial.is_usable();
  if (!usable) status_ = at_trial.status;
  if (!usable) overflows_ = at_trial.status == Status::ok && !std::isfinite(at_trial.cost);
  if (!has_begun_) {
    has_begun_ = true;
    if (!usable) {
      outcome_ = Outcome::failed;
      return;
    }
    accept(at_trial);
    propose();
    return;
  }
  ++iterations_;
  const double actual = usable ? at_values_.cost - at_trial.cost : -1;
  if (!(actual > 0)) {
    // If even the predicted gain is below rounding error, the cost cannot decide.
    const bool is_rounding = usable && predicted_ <= 1e-13 * at_values_.cost;
    reject(usable);
    if (is_rounding) finish();
  } else {
    const double before = at_values_.cost;
    const double foreseen = actual / predicted_;
    accept(at_trial);
    const double bend = 2 * foreseen - 1;
    damping_ *= std::max(1.0 / 3, 1 - bend * bend * bend);
    growth_ = 2;
    if (actual <= small_share * before && predicted_ <= small_share * before && foreseen <= 2) finish();
  }
  if (outcome_ == Outcome::searching) propose();
}

void LevenbergMarquardt::accept(const NormalEquations& at_trial) {
  values_ = trial_;
  at_values_ = at_trial;
  scale_ = scale_.cwiseMax(at_trial.normal.diagonal());
}

void LevenbergMarquardt::reject(bool is_usable) {
  damping_ *= growth_;
  growth_ *= 2;
  any_failed_ = any_failed_ || !is_usable;
}

std::vector<Eigen::Index> LevenbergMarquardt::free_variables() const {
  std::vector<Eigen::Index> free;
  for (Eigen::Index j = 0; j < values_.size(); ++j) {
    const double slope = at_values_.gradient[j];
    const bool is_held = (values_[j] <= low_[j] && slope > 0) || (values_[j] >= high_[j] && slope < 0);
    if (!is_held && at_values_.normal(j, j) > least_[j]) free.push_back(j);
  }
  return free;
}

bool LevenbergMarquardt::is_stationary(const std::vector<Eigen::Index>& free) const {
  const double size = std::sqrt(at_values_.cost);
  return std::ranges::all_of(free, [&](Eigen::Index j) {
    const double column = std::sqrt(at_values_.normal(j, j));
    return std::abs(at_values_.gradient[j]) <= small_cosine * column * size;
  });
}

Eigen::VectorXd LevenbergMarquardt::step(const std::vector<Eigen::Index>& free, double damping) const {
  const auto count = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd matrix(count, count);
  Eigen::VectorXd side(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index j = free[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < count; ++k) {
      matrix(i, k) = at_values_.normal(j, free[static_cast<std::size_t>(k)]);
    }
    matrix(i, i) += damping * scale_[j];
    side[i] = -at_values_.gradient[j];
  }
  const Eigen::VectorXd solved = matrix.ldlt().solve(side);
  Eigen::VectorXd step = Eigen::VectorXd::Zero(values_.size());
  for (Eigen::Index i = 0; i < count; ++i) step[free[static_cast<std::size_t>(i)]] = solved[i];
  return (values_ + step).cwiseMax(low_).cwiseMin(high_) - values_;
}

/// Predicted decrease of the cost.
double LevenbergMarquardt::gain(const Eigen::VectorXd& step) const {
  return -(2 * at_values_.gradient.dot(step) + step.dot(at_values_.normal * step));
}

bool LevenbergMarquardt::is_small(const Eigen::VectorXd& step, double share) const {
  const Eigen::VectorXd root = scale_.cwiseSqrt();
  return root.cwiseProduct(step).norm() <= share * root.cwiseProduct(values_).norm();
}

/// Called if steps are small. If motions failed, λ may be the only reason: then a step without it would reduce the
/// cost.
void LevenbergMarquardt::finish() {
  outcome_ = Outcome::converged;
  if (!any_failed_) return;
  constexpr double hardly_any = 1e-10;  // λ
  constexpr double share = 1e-6;
  const Eigen::VectorXd whole = step(free_variables(), hardly_any);
  if (gain(whole) > share * at_values_.cost && !is_small(whole, share)) outcome_ = Outcome::stuck;
}

/// Next trial, with a λ whose step has a predicted gain.
void LevenbergMarquardt::propose() {
  const std::vector<Eigen::Index> free = free_variables();
  if (is_stationary(free)) {
    outcome_ = Outcome::converged;
    return;
  }
  if (iterations_ >= most_iterations_) {
    outcome_ = Outcome::out_of_iterations;
    return;
  }
  for (;; damping_ *= growth_, growth_ *= 2) {
    const Eigen::VectorXd next = step(free, damping_);
    if ((next.allFinite() && is_small(next, small_step)) || damping_ > largest_damping) return finish();
    predicted_ = gain(next);
    if (!next.allFinite() || !(predicted_ > 0)) continue;
    trial_ = values_ + next;
    return;
  }
}

}  // namespace kalaba::fit
