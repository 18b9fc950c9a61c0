#include "backend/reference/judge.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference/linear.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Largest magnitude of a list of numbers, or `least` if that is larger.
double size_of(const Vector& x, double least) { return std::max(x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0, least); }

/// Rates that would hold the whole kinetic energy alone: w_j = sqrt(w^T G w / G_jj). They have the size of the member's
/// speeds in the unit of each rate.
Vector speeds(const MechanicalModel& model, const Instant& x) {
  const Matrix G = model.metric(x);
  const double twice_energy = std::max(0.0, x.w.dot(G * x.w));
  return G.diagonal().unaryExpr([&](double g) { return g > 0 ? std::sqrt(twice_energy / g) : 0.0; });
}

/// Allowed magnitudes of the rows, in the order of sized_constraints. A projection stops where its corrections are
/// rounding of the largest coordinate or rate, so that a row of a single small number may be that far off. The
/// rounding of a row of phi contains this, except for more turns of an angle than are excused; if all coordinates are
/// below Limits::least_size, a projection stops at the rounding of that. A rate that
/// moves nothing beyond rounding of the coordinates in the whole run is rounding too. All terms of a row may vanish at
/// a special position; the row then has the size of the member's speeds, or of its path in a step.
Vector allowed(const MechanicalModel& model, const Instant& x, const Matrix& A, const std::vector<Sized>& rows,
               const Allowance& allowance) {
  const double slowest = allowance.duration > 0 ? size_of(x.q, 0) / allowance.duration : 0;
  const double of_rate = allowance.of_rounding * size_of(x.w, std::max(slowest, Limits<double>::least_rate));
  const double of_least =
      size_of(x.q, 0) < Limits<double>::least_size ? allowance.of_rounding * Limits<double>::least_size : 0;
  const long m = model.holonomic;
  const Vector of_speeds = A.cwiseAbs() * speeds(model, x);
  Vector result(rows.size());
  for (long r = 0; r < result.size(); ++r) {
    const Sized& row = rows[static_cast<std::size_t>(r)];
    const long row_of_A = r < m ? r : r - m;
    const double slope = A.row(row_of_A).lpNorm<1>();
    const double terms = std::max(row.terms, of_speeds[row_of_A] * (r < m ? allowance.step : 1));
    result[r] =
        allowance.of_terms * terms + allowance.of_rounding * row.rounding + slope * (r < m ? of_least : of_rate);
  }
  result.segment(m, m) += result.head(m) / allowance.span;
  return result;
}

}  // namespace

Allowance constraint_allowance(const Method& method, bool single_precision, double span, double step) {
  const double epsilon =
      single_precision ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const bool is_held = method.stabilization.kind == Stabilization::Kind::projection;
  // A row that depends on the others within the rank's tolerance is satisfied only to that tolerance.
  const double of_terms = std::max(is_held ? 1e-6 : 1e-3, 4 * method.rank_tolerance);
  return {single_precision ? std::max(of_terms, 1e-3) : of_terms, 0x1p12 * epsilon, is_held ? infinity : span, span,
          step};
}

Gap worst_gap(const MechanicalModel& model, const Instant& x, const Allowance& allowance) {
  const std::vector<Sized> rows = model.sized_constraints(x);
  const Matrix A = model.constraint_matrix(x);
  const Vector limits = allowed(model, x, A, rows, allowance);
  const Vector relative = relative_lengths(A);
  // A constraint whose row is rounding of the others is no constraint, however small its own terms are.
  const auto counts = [&](long r) {
    const double length = relative[r < model.holonomic ? r : r - model.holonomic];
    return !(length > 0 && length <= RankChoice{}.shortest_row);
  };
  Gap worst;
  for (long r = 0; r < limits.size(); ++r) {
    if (!counts(r)) continue;
    const double value = rows[static_cast<std::size_t>(r)].value;
    const double size = std::abs(value);
    const double share = size <= 0 ? 0 : size / limits[r];
    const double own = std::isfinite(value) && !std::isnan(share) ? share : infinity;
    if (worst.row < 0 || own > worst.share) worst = {static_cast<int>(r), value, own};
  }
  return worst;
}

Dependence near_dependence(const MechanicalModel& model, const Instant& x, double tolerance, double above,
                           double below) {
  const MetricRoot G = metric_root(model.metric(x));
  Dependence found;
  if (!G.positive_definite) return found;
  const Matrix A = model.constraint_matrix(x);
  Matrix rows = A * G.inverse_root;
  const Vector relative = relative_lengths(A);
  for (long r = 0; r < rows.rows(); ++r) {
    const double length = rows.row(r).stableNorm();
    const bool counts = length > 0 && relative[r] > RankChoice{}.shortest_row;
    rows.row(r) *= counts ? 1 / length : 0;
  }
  if (!rows.allFinite()) return found;
  const Eigen::JacobiSVD<Matrix> svd(rows, Eigen::ComputeFullU);
  const Vector& values = svd.singularValues();
  for (long k = 0; k < values.size() && found.rows.empty(); ++k) {
    const double value = values[k] / values[0];
    if (!(value > tolerance / below && value < tolerance * above)) continue;
    found.value = value;
    const Vector shares = svd.matrixU().col(k).cwiseAbs();
    for (int r = 0; r < shares.size(); ++r) {
      if (shares[r] > 0.3 * shares.maxCoeff()) found.rows.push_back(r);
    }
    std::ranges::stable_sort(found.rows, [&](int a, int b) { return shares[a] > shares[b]; });
  }
  return found;
}

double least_size(const MechanicalModel& model, const Instant& x) {
  double least = infinity;
  for (const Sized& row : model.sized_constraints(x)) {
    const double size = std::max(row.terms, row.rounding);
    if (size > 0) least = std::min(least, size);
  }
  return std::isfinite(least) ? least : 0;
}

double kinetic_energy(const MechanicalModel& model, const Instant& x) { return 0.5 * x.w.dot(model.metric(x) * x.w); }

}  // namespace kalaba::reference
