#include "backend/reference/internal_forces.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "backend/reference/nearest_point.hpp"

namespace kalaba::reference {
namespace {

constexpr int barrier_weights = 16;      ///< of the distance, each 4 times the last one
constexpr int barrier_steps = 40;        ///< for one weight
constexpr double most_distance = 0.125;  ///< relative to the largest force

/// Basis of the forces of all contacts that have no total effect.
Matrix forces_without_effect(const std::vector<StickingContact>& contacts, double rank_tolerance) {
  long count = 0;
  for (const StickingContact& each : contacts) count += each.rows.rows();
  Matrix rows(count, contacts.front().rows.cols());
  long next = 0;
  for (const StickingContact& each : contacts) {
    rows.middleRows(next, each.rows.rows()) = each.rows;
    next += each.rows.rows();
  }
  const Vector lengths = rows.rowwise().norm();
  if (lengths.minCoeff() <= 0) return {count, 0};
  const Matrix unit = lengths.cwiseInverse().asDiagonal() * rows;
  return lengths.cwiseInverse().asDiagonal() * null_space(unit.transpose(), rank_tolerance);
}

/// Barrier function of the forces x = x_0 + basis z and of the distance s: each contact has |t| < mu (n - s size).
struct Barrier {
  const std::vector<StickingContact>& contacts;
  const Matrix& basis;
  const Vector& start;
  double size;  ///< largest force
  double weight;

  /// Value at y = (z, s), infinite outside; sets the gradient and the Hessian if they are given.
  double operator()(const Vector& y, Vector* gradient, Matrix* hessian) const {
    const long d = basis.cols();
    const double s = y[d];
    const Vector x = start + basis * y.head(d);
    const long k = x.size();
    if (!(s < most_distance)) return std::numeric_limits<double>::infinity();
    double value = -weight * s - std::log(most_distance - s) + 0.5 * x.squaredNorm() / (size * size);
    Vector slopes = Vector::Zero(k + 1);
    Matrix curvature = Matrix::Zero(k + 1, k + 1);
    slopes.head(k) = x / (size * size);
    curvature.topLeftCorner(k, k).diagonal().setConstant(1 / (size * size));
    slopes[k] = -weight + 1 / (most_distance - s);
    curvature(k, k) = std::pow(most_distance - s, -2);
    long first = 0;
    for (const StickingContact& each : contacts) {
      const long count = each.forces.size();
      Vector v = x.segment(first, count);
      v[0] = each.mu * (v[0] - s * size);
      const double inside = v[0] * v[0] - v.tail(count - 1).squaredNorm();
      if (!(v[0] > 0 && inside > 0)) return std::numeric_limits<double>::infinity();
      value -= std::log(inside);
      // Derivatives along v, then along the forces of the contact and s.
      Vector reflected = v;
      reflected.tail(count - 1) *= -1;
      Matrix second = 4 * reflected * reflected.transpose() / (inside * inside);
      second(0, 0) -= 2 / inside;
      second.diagonal().tail(count - 1).array() += 2 / inside;
      Matrix along = Matrix::Zero(count, k + 1);
      along.middleCols(first, count).setIdentity();
      along(0, first) = each.mu;
      along(0, k) = -each.mu * size;
      slopes += along.transpose() * (-2 / inside * reflected);
      curvature += along.transpose() * second * along;
      first += count;
    }
    if (gradient == nullptr) return value;
    Matrix chain = Matrix::Zero(k + 1, d + 1);
    chain.topLeftCorner(k, d) = basis;
    chain(k, d) = 1;
    *gradient = chain.transpose() * slopes;
    *hessian = chain.transpose() * curvature * chain;
    return value;
  }

  /// Minimizes the function from y by Newton's method.
  void minimize(Vector& y) const {
    for (int step = 0; step < barrier_steps; ++step) {
      Vector gradient;
      Matrix hessian;
      const double value = (*this)(y, &gradient, &hessian);
      const Vector way = hessian.ldlt().solve(-gradient);
      const double decrease = -gradient.dot(way);
      if (!std::isfinite(decrease) || decrease < 1e-10) return;
      double part = 1;
      while (part > 1e-12 && !((*this)(y + part * way, nullptr, nullptr) <= value - 0.1 * part * decrease)) part /= 2;
      y += part * way;
    }
  }
};

}  // namespace

std::optional<std::vector<Vector>> forces_inside_cones(const std::vector<StickingContact>& contacts,
                                                       double rank_tolerance) {
  if (contacts.empty()) return std::nullopt;
  const Matrix basis = forces_without_effect(contacts, rank_tolerance);
  if (basis.cols() == 0) return std::nullopt;
  Vector start(basis.rows());
  long next = 0;
  for (const StickingContact& each : contacts) {
    start.segment(next, each.forces.size()) = each.forces;
    next += each.forces.size();
  }
  const double size = start.cwiseAbs().maxCoeff();
  if (!(size > 0)) return std::nullopt;
  Vector y = Vector::Zero(basis.cols() + 1);
  double& s = y[basis.cols()];
  for (const StickingContact& each : contacts) {
    const double friction = each.forces.tail(each.forces.size() - 1).norm();
    s = std::min(s, (each.forces[0] - friction / each.mu) / size);
  }
  s -= 1;
  double weight = 1;
  for (int i = 0; i < barrier_weights && !(s > 0); ++i, weight *= 4) {
    Barrier{contacts, basis, start, size, weight}.minimize(y);
  }
  if (!(s > 0)) return std::nullopt;
  const Vector x = start + basis * y.head(basis.cols());
  std::vector<Vector> found;
  next = 0;
  for (const StickingContact& each : contacts) {
    found.emplace_back(x.segment(next, each.forces.size()));
    next += each.forces.size();
  }
  return found;
}

}  // namespace kalaba::reference
