#include "fit/estimate.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "fit/normal_sums.hpp"
#include "fit/trace.hpp"
#include "text/nan.hpp"

namespace kalaba::fit {
namespace {

constexpr double rank_tolerance = 1e-7;     // of the largest singular value: derivatives have errors of about 1e-10
constexpr double part_of_direction = 1e-4;  // of its length

/// Columns that no bound holds, split by whether they affect the motion, with the lengths of those that do.
struct Columns {
  std::vector<std::size_t> moving;
  std::vector<std::size_t> idle;
  std::vector<double> lengths;  // of the columns that affect the motion
};

Columns columns_of(const Problem& problem, const Eigen::MatrixXd& jacobian, double motion, const Estimate& estimate) {
  Columns columns;
  for (std::size_t j = 0; j < problem.free.size(); ++j) {
    if (estimate.at_bound[j]) continue;
    const double length = jacobian.col(static_cast<Eigen::Index>(j)).norm();
    if (length * problem.free[j].size(estimate.values[j]) <= nothing * motion) {
      columns.idle.push_back(j);
    } else {
      columns.moving.push_back(j);
      columns.lengths.push_back(length);
    }
  }
  return columns;
}

/// Scales a direction to 1 % of the size of the variable that changes most.
void scale(const Problem& problem, const Estimate& estimate, Direction& direction) {
  double largest = 0;
  double signed_largest = 0;
  for (std::size_t j = 0; j < problem.free.size(); ++j) {
    const double share = direction.change[j] / problem.free[j].size(estimate.values[j]);
    if (std::abs(share) > largest) {
      largest = std::abs(share);
      signed_largest = share;
    }
  }
  for (double& change : direction.change) change *= 0.01 / signed_largest;
}

void find_directions(const Problem& problem, const Columns& columns, const Eigen::MatrixXd& right, Eigen::Index rank,
                     Estimate& estimate) {
  const auto add = [&](Direction direction) {
    scale(problem, estimate, direction);
    estimate.directions.push_back(std::move(direction));
  };
  for (const std::size_t j : columns.idle) {
    estimate.identifiable[j] = false;
    Direction direction = {std::vector<double>(problem.free.size())};
    direction.change[j] = 1;
    add(std::move(direction));
  }
  for (Eigen::Index k = rank; k < right.cols(); ++k) {
    Direction direction = {std::vector<double>(problem.free.size())};
    for (std::size_t i = 0; i < columns.moving.size(); ++i) {
      const double part = right(static_cast<Eigen::Index>(i), k);
      if (std::abs(part) <= part_of_direction) continue;
      estimate.identifiable[columns.moving[i]] = false;
      direction.change[columns.moving[i]] = part / columns.lengths[i];
    }
    add(std::move(direction));
  }
}

void find_errors(const Columns& columns, const Eigen::MatrixXd& right, Eigen::Index rank, Estimate& estimate) {
  const auto count = static_cast<Eigen::Index>(columns.moving.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index k = 0; k < rank; ++k) {
    const double sigma = estimate.singular_values[static_cast<std::size_t>(k)];
    covariance += right.col(k) * right.col(k).transpose() / (sigma * sigma);
  }
  const auto error = [&](Eigen::Index i) { return std::sqrt(covariance(i, i)); };
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::size_t j = columns.moving[static_cast<std::size_t>(i)];
    if (!estimate.identifiable[j]) continue;
    estimate.errors[j] = estimate.deviation * error(i) / columns.lengths[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < count; ++k) {
      const std::size_t other = columns.moving[static_cast<std::size_t>(k)];
      if (!estimate.identifiable[other]) continue;
      estimate.correlation[j][other] = i == k ? 1 : covariance(i, k) / (error(i) * error(k));
    }
  }
}

void sum_up_residuals(const Problem& problem, Estimate& estimate) {
  const Measurements& data = problem.data;
  std::vector<double> squares(data.columns.size());
  std::vector<double> counts(data.columns.size());
  for (std::size_t i = 0; i < data.readings.size(); ++i) {
    squares[data.readings[i].column] += estimate.residuals[i] * estimate.residuals[i];
    counts[data.readings[i].column] += 1;
  }
  for (std::size_t i = 0; i < squares.size(); ++i) {
    estimate.root_mean_squares.push_back(std::sqrt(squares[i] / counts[i]));
  }
}

}  // namespace

double student_quantile(long freedom) {
  constexpr double normal = 1.959963984540054;
  constexpr long many = 1'000'000;
  if (freedom <= 0 || freedom > many) return normal;
  const boost::math::students_t distribution(static_cast<double>(freedom));
  return boost::math::quantile(distribution, 0.975);
}

void analyse(const Problem& problem, const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residuals, double motion,
             Estimate& estimate) {
  const std::size_t variables = problem.free.size();
  const Eigen::VectorXd gradient = jacobian.transpose() * residuals;
  estimate.errors.assign(variables, nan);
  estimate.identifiable.assign(variables, true);
  estimate.correlation.assign(variables, std::vector<double>(variables, nan));
  for (std::size_t j = 0; j < variables; ++j) {
    const double slope = gradient[static_cast<Eigen::Index>(j)];
    const double value = estimate.values[j];
    estimate.at_bound.push_back((value <= problem.free[j].low && slope > 0) ||
                                (value >= problem.free[j].high && slope < 0));
  }
  const Columns columns = columns_of(problem, jacobian, motion, estimate);
  const auto count = static_cast<Eigen::Index>(columns.moving.size());
  Eigen::MatrixXd scaled(jacobian.rows(), count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    scaled.col(i) = jacobian.col(static_cast<Eigen::Index>(columns.moving[at])) / columns.lengths[at];
  }
  Eigen::MatrixXd right(0, 0);
  Eigen::Index rank = 0;
  if (count > 0) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
    right = svd.matrixV();
    for (Eigen::Index k = 0; k < count; ++k) {
      estimate.singular_values.push_back(svd.singularValues()[k]);
      rank += svd.singularValues()[k] > rank_tolerance * svd.singularValues()[0];
    }
  }
  estimate.cost = residuals.squaredNorm();
  estimate.freedom = static_cast<long>(residuals.size()) - static_cast<long>(rank);
  const bool is_known = !problem.data.sigmas.empty();
  estimate.deviation = is_known               ? 1
                       : estimate.freedom > 0 ? std::sqrt(estimate.cost / static_cast<double>(estimate.freedom))
                                              : nan;
  find_directions(problem, columns, right, rank, estimate);
  find_errors(columns, right, rank, estimate);
  const double width = student_quantile(is_known ? 0 : estimate.freedom);
  for (std::size_t j = 0; j < variables; ++j) {
    estimate.low.push_back(estimate.values[j] - width * estimate.errors[j]);
    estimate.high.push_back(estimate.values[j] + width * estimate.errors[j]);
  }
}

Estimate estimate_at(const Problem& problem, const std::vector<double>& values) {
  const Measurements& data = problem.data;
  const Trace motion = trace(problem, values, data.times);
  const std::vector<double> weights = weights_of(data);
  const auto rows = static_cast<Eigen::Index>(data.readings.size());
  Eigen::MatrixXd jacobian(rows, static_cast<Eigen::Index>(problem.free.size()));
  Eigen::VectorXd residuals(rows);
  Estimate estimate;
  estimate.values = values;
  double compared = 0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Reading& reading = data.readings[static_cast<std::size_t>(i)];
    const double weight = weights[reading.column];
    const double value = motion.values[reading.column][reading.time];
    compared += value * weight * value * weight;
    estimate.residuals.push_back(value - reading.value);
    residuals[i] = weight * estimate.residuals.back();
    for (Eigen::Index j = 0; j < jacobian.cols(); ++j) {
      jacobian(i, j) = weight * motion.derivatives[reading.column][static_cast<std::size_t>(j)][reading.time];
    }
  }
  analyse(problem, jacobian, residuals, std::sqrt(compared), estimate);
  sum_up_residuals(problem, estimate);
  return estimate;
}

}  // namespace kalaba::fit
