#include "engine/run/lyapunov_exponents.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kalaba/backend/parallel.hpp"

namespace kalaba {
namespace {

using Eigen::MatrixXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Matrix that makes columns orthonormal: their product with `factor`. It has fewer columns if some were linearly
/// dependent.
struct Orthonormal {
  MatrixXd factor;
  Eigen::VectorXd lengths;  ///< norm of the part of each column that is orthogonal to the columns before
  double apart = 1;         ///< ratio of the longest column to the smallest of these norms
};

MatrixXd inverse_of(const MatrixXd& triangular) {
  return triangular.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(triangular.rows(), triangular.cols()));
}

/// Orthonormalises columns in their order, up to the first linearly dependent one.
Orthonormal orthonormal_of(const MatrixXd& columns) {
  const Eigen::HouseholderQR<MatrixXd> qr(columns);
  const long count = columns.cols();
  const MatrixXd triangular = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
  const Eigen::VectorXd lengths = triangular.diagonal().cwiseAbs();
  const double longest = triangular.colwise().norm().maxCoeff();
  long left = 0;
  while (left < count && lengths[left] > std::numeric_limits<double>::min()) ++left;
  MatrixXd factor = MatrixXd::Zero(count, left);
  factor.topRows(left) = inverse_of(triangular.topLeftCorner(left, left));
  return {factor, lengths.head(left), left < count ? HUGE_VAL : longest / lengths.minCoeff()};
}

/// Returns the columns whose part orthogonal to the previous ones exceeds `tolerance` of the longest.
std::vector<long> independent_of(const MatrixXd& columns, double tolerance) {
  const double least = tolerance * columns.colwise().norm().maxCoeff();
  std::vector<long> kept;
  MatrixXd span = MatrixXd::Zero(columns.rows(), columns.cols());
  for (long i = 0; i < columns.cols(); ++i) {
    Eigen::VectorXd left = columns.col(i);
    for (int pass = 0; pass < 2; ++pass) left -= span * (span.transpose() * left).eval();
    if (!(left.norm() > least)) continue;
    span.col(static_cast<long>(kept.size())) = left.normalized();
    kept.push_back(i);
  }
  return kept;
}

/// Copies `count` rows of a member, [column][row], to the rows of `to` from `first` on.
void gather(const std::vector<double>& rows, long count, long stride, long member, long first, MatrixXd& to) {
  for (long column = 0; column < to.cols(); ++column) {
    for (long i = 0; i < count; ++i) {
      to(first + i, column) = rows[static_cast<std::size_t>((column * count + i) * stride + member)];
    }
  }
}

std::vector<double>& rows_of(Observation& seen, Field field) { return seen.values[static_cast<std::size_t>(field)]; }

}  // namespace

LyapunovExponents::LyapunovExponents(const SystemInfo& system, const Options& options)
    : columns_(static_cast<long>(system.exponents.size())),
      coordinates_(static_cast<long>(system.coordinates.size())),
      rates_(static_cast<long>(system.rates.size())),
      threads_(options.threads),
      start_(options.time.start),
      tolerance_(options.precision == Precision::single_precision ? 1e-3 : 1e-8),
      limit_(options.precision == Precision::single_precision ? 3e3 : 1e8),
      time_(options.time.start) {}

/// Combines every member's columns with the factors that work(member, columns) returns.
template <class Work>
void LyapunovExponents::combine(const Observation& seen, Block& block, Runner& runner, const Work& work) const {
  std::vector<double> factors(static_cast<std::size_t>(columns_ * columns_ * block.stride), 0.0);
  parallel_for(block.members, 16, threads_, [&](long first, long last) {
    MatrixXd columns(coordinates_ + rates_, columns_);
    for (long member = first; member < last; ++member) {
      gather(seen.values[static_cast<std::size_t>(Field::q_sensitivity)], coordinates_, block.stride, member, 0,
             columns);
      gather(seen.values[static_cast<std::size_t>(Field::w_sensitivity)], rates_, block.stride, member, coordinates_,
             columns);
      const MatrixXd factor = work(member, columns);
      for (long i = 0; i < factor.rows(); ++i) {
        for (long j = 0; j < factor.cols(); ++j) {
          factors[static_cast<std::size_t>((i * columns_ + j) * block.stride + member)] = factor(i, j);
        }
      }
    }
  });
  runner.combine_columns(block, factors);
}

void LyapunovExponents::begin(const Observation& start, Block& block, Runner& runner) {
  members_ = block.members;
  time_ = start_;
  growth_.assign(static_cast<std::size_t>(columns_ * members_), nan);
  apart_.assign(static_cast<std::size_t>(members_), 1.0);
  combine(start, block, runner, [&](long member, const MatrixXd& columns) -> MatrixXd {
    if (!columns.allFinite()) return MatrixXd();
    const std::vector<long> kept = independent_of(columns, tolerance_);
    const auto count = static_cast<long>(kept.size());
    if (count == 0) return MatrixXd();
    MatrixXd factor = MatrixXd::Zero(columns_, count);
    factor(kept, Eigen::all) = orthonormal_of(columns(Eigen::all, kept)).factor;
    for (long i = 0; i < count; ++i) growth(i, member) = 0;
    return factor;
  });
}

void LyapunovExponents::take(Observation& seen, double time, Block& block, Runner& runner) {
  time_ = time;
  combine(seen, block, runner, [&](long member, const MatrixXd& columns) -> MatrixXd {
    const long count = directions_of(member);
    const bool is_known = seen.status[static_cast<std::size_t>(member)] == Status::ok && columns.allFinite();
    const Orthonormal kept = is_known && count > 0 ? orthonormal_of(columns.leftCols(count)) : Orthonormal();
    for (long i = 0; i < kept.lengths.size(); ++i) growth(i, member) += std::log(kept.lengths[i]);
    for (long i = kept.lengths.size(); i < count; ++i) growth(i, member) = nan;
    double& apart = apart_[static_cast<std::size_t>(member)];
    apart = std::max(apart, kept.apart);
    return kept.factor;
  });
  write(block, seen);
}

/// Number of directions still followed; they precede the others.
long LyapunovExponents::directions_of(long member) const {
  long count = 0;
  while (count < columns_ && !std::isnan(growth(count, member))) ++count;
  return count;
}

/// Returns the exponents in decreasing order, with NaN for missing directions.
std::vector<double> LyapunovExponents::exponents_of(long member) const {
  std::vector<double> exponents(static_cast<std::size_t>(columns_), nan);
  const long count = time_ > start_ ? directions_of(member) : 0;
  for (long i = 0; i < count; ++i) exponents[static_cast<std::size_t>(i)] = growth(i, member) / (time_ - start_);
  std::sort(exponents.begin(), exponents.begin() + count, std::greater<>());
  return exponents;
}

void LyapunovExponents::write(const Block& block, Observation& seen) const {
  std::vector<double>& rows = rows_of(seen, Field::lyapunov_exponents);
  rows.assign(static_cast<std::size_t>(columns_ * block.stride), nan);
  for (long member = 0; member < members_; ++member) {
    const std::vector<double> exponents = exponents_of(member);
    for (long i = 0; i < columns_; ++i) {
      rows[static_cast<std::size_t>(i * block.stride + member)] = exponents[static_cast<std::size_t>(i)];
    }
  }
  rows_of(seen, Field::q_sensitivity).clear();
  rows_of(seen, Field::w_sensitivity).clear();
}

/// Returns true if a direction's logarithm changed by more than 1 per adaptive step, on average: a step of order 5
/// approximates exp(x) to 5e-4 at x = 1 and fails far beyond. The change in a single step is no criterion: the norm
/// varies with the units of q and w.
bool LyapunovExponents::outgrows_steps(const Block& block, long member) const {
  const double steps = block.accepted[static_cast<std::size_t>(member)];
  double most = 0;
  for (long i = 0; i < directions_of(member); ++i) most = std::max(most, std::abs(growth(i, member)));
  return steps > 0 && most > steps;
}

void LyapunovExponents::add_to(Summary& summary, const Block& block) const {
  LyapunovOutcome& outcome = summary.lyapunov;
  for (long member = 0; member < members_; ++member) {
    const double largest = exponents_of(member).front();
    if (is_failure(block.status[static_cast<std::size_t>(member)]) || std::isnan(largest)) continue;
    ++outcome.members;
    outcome.directions = std::max(outcome.directions, directions_of(member));
    outcome.least = std::fmin(outcome.least, largest);
    outcome.greatest = std::fmax(outcome.greatest, largest);
    if (apart_[static_cast<std::size_t>(member)] > limit_) ++outcome.grown_apart;
    if (outgrows_steps(block, member)) ++outcome.outgrown_steps;
  }
}

void LyapunovExponents::save(StateWriter& state) const {
  state.put(time_);
  state.put(growth_);
  state.put(apart_);
}

void LyapunovExponents::restore(StateReader& state) {
  time_ = state.get<double>();
  growth_ = state.get_all<double>();
  apart_ = state.get_all<double>();
  members_ = static_cast<long>(apart_.size());
  state.require(growth_.size() == static_cast<std::size_t>(columns_ * members_), "as many numbers as directions");
}

}  // namespace kalaba
