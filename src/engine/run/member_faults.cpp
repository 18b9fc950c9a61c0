#include "engine/run/member_faults.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/system/short_text.hpp"

namespace kalaba {
namespace {

using reference::Instant;
using reference::Matrix;
using reference::MechanicalModel;
using reference::Vector;

constexpr double large_share = 0.1;  ///< of the largest component of a singular vector

std::string text_of(double value) { return std::isnan(value) ? "nan" : short_text(value, 3); }

/// Returns "WHAT NAME is nan" for the first number that is not finite; empty if all are finite.
std::string first_in(const Vector& values, const std::string& what, const std::vector<Variable>& names) {
  for (long i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return what + names[static_cast<std::size_t>(i)].name + " is " + text_of(values[i]);
  }
  return "";
}

/// Index of the first row that has a number that is not finite; -1 if there is none.
long first_row(const Matrix& rows) {
  for (long r = 0; r < rows.rows(); ++r) {
    if (!rows.row(r).allFinite()) return r;
  }
  return -1;
}

}  // namespace

std::string non_finite_number(const SystemInfo& info, const MechanicalModel& model, const Instant& x) {
  const auto parameters = static_cast<std::size_t>(info.first_discrete());
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const double value = x.p[static_cast<long>(i)];
    if (std::isfinite(value) || is_internal(info.parameters[i])) continue;
    return (i < parameters ? "the parameter " : "the discrete variable ") + info.parameters[i].name + " is " +
           text_of(value);
  }
  if (const std::string why = first_in(x.q, "", info.coordinates); !why.empty()) return why;
  if (const std::string why = first_in(x.w, "", info.rates); !why.empty()) return why;
  if (const std::string why = first_in(model.velocity(x), "the rate of change of ", info.coordinates); !why.empty())
    return why;
  if (!model.metric(x).allFinite()) return fault_of_metric(info, model, x);
  if (const std::string why = first_in(model.force(x), "the force along ", info.rates); !why.empty()) return why;
  const auto name = [&](long row) { return "'" + info.constraints[static_cast<std::size_t>(row)].name + "'"; };
  Vector values(model.holonomic + model.nonholonomic);
  values << model.phi(x), model.psi(x);
  if (const long row = first_row(values); row >= 0)
    return "the value of constraint " + name(row) + " is " + text_of(values[row]);
  if (const long row = first_row(model.constraint_matrix(x)); row >= 0)
    return "the gradient of constraint " + name(row) + " is not finite";
  if (const long row = first_row(model.constraint_rate(x)); row >= 0)
    return "the second derivative in time of constraint " + name(row) + " is not finite";
  return "";
}

std::string fault_of_metric(const SystemInfo& info, const MechanicalModel& model, const Instant& x) {
  const Matrix metric = model.metric(x);
  const auto name = [&](long rate) { return info.rates[static_cast<std::size_t>(rate)].name; };
  if (const long row = first_row(metric); row >= 0) {
    long column = row;
    if (std::isfinite(metric(row, row))) {
      column = 0;
      while (std::isfinite(metric(row, column))) ++column;
    }
    return "the metric (mass matrix) is not finite: its entry of " + name(row) +
           (column == row ? "" : " and " + name(column)) + " is " + text_of(metric(row, column));
  }
  if (metric.llt().info() == Eigen::Success) return "";
  const std::string begin = "the metric (mass matrix) is not positive definite: ";
  for (long i = 0; i < metric.rows(); ++i) {
    if (!(metric(i, i) > 0)) return begin + "its entry of " + name(i) + " is " + text_of(metric(i, i));
  }
  const Vector scale = metric.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Matrix> modes(scale.asDiagonal() * metric * scale.asDiagonal());
  long most = 0;
  modes.eigenvectors().col(0).cwiseAbs().maxCoeff(&most);
  return begin + "it is not in a direction that is mostly " + name(most);
}

WeakestRows weakest_rows(const SystemInfo& info, const Matrix& A) {
  WeakestRows weakest;
  if (A.rows() < 2 || !A.allFinite()) return weakest;
  Matrix rows = A;
  for (long r = 0; r < rows.rows(); ++r) {
    const double size = rows.row(r).norm();
    if (size > 0) rows.row(r) /= size;
  }
  // A row of zeros is an open contact, or a constraint that does not hold now.
  std::vector<long> held;
  for (long r = 0; r < rows.rows(); ++r) {
    if (!rows.row(r).isZero(0)) held.push_back(r);
  }
  const auto count = static_cast<long>(held.size());
  if (count < 2) return weakest;
  Matrix of_held(count, rows.cols());
  for (long r = 0; r < count; ++r) of_held.row(r) = rows.row(held[static_cast<std::size_t>(r)]);
  const Eigen::JacobiSVD<Matrix> svd(of_held, Eigen::ComputeFullU);
  const Vector& values = svd.singularValues();
  weakest.value = count > values.size() ? 0 : values[values.size() - 1] / values[0];
  const Vector shares = svd.matrixU().col(count - 1).cwiseAbs();
  std::vector<long> order(held.size());
  std::iota(order.begin(), order.end(), 0L);
  std::ranges::stable_sort(order, std::greater(), [&](long r) { return shares[r]; });
  for (const long r : order) {
    if (shares[r] < large_share * shares.maxCoeff()) break;
    const auto row = static_cast<std::size_t>(held[static_cast<std::size_t>(r)]);
    weakest.names += (weakest.names.empty() ? "'" : ", '") + info.constraints[row].name + "'";
  }
  return weakest;
}

}  // namespace kalaba
