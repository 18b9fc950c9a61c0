#include "backend/reference/impact.hpp"

#include <algorithm>

#include "backend/reference/linear.hpp"

namespace kalaba::reference {
namespace {

constexpr int most_projections = 64;  ///< of an impact, per contact
constexpr double closing = 2 * row_rounding;
/// Approaches that differ by this fraction of themselves, or by rounding, are equally fast.
constexpr double equally_fast = 1e-10;

/// One impact of all touching contacts. Returns false if no velocity satisfies its conditions.
bool strike_together(const TouchingRows& rows, double rank_tolerance, Vector& u) {
  const BoundedRows constraints = {rows.constraints, -rows.constraint_offsets};
  BoundedRows gaps = {rows.gaps, -rows.restitution.cwiseProduct(rows.rates(u))};
  Vector expansion = rows.restitution;
  for (long r = 0; r < expansion.size(); ++r) {
    const bool is_newton = rows.laws[static_cast<std::size_t>(r)] == ImpactLaw::newton;
    (is_newton ? expansion : gaps.bounds)[r] = 0;
  }
  gaps.bounds -= rows.gap_offsets;
  if (!rows.friction.empty()) {
    std::vector<FrictionContact> contacts = rows.friction;
    for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].n_bound = gaps.bounds[static_cast<long>(i)];
    const auto struck = point_with_friction(u, constraints, contacts, rank_tolerance);
    if (struck) u = struck->u;
    return struck.has_value();
  }
  const NearestPoint compressed = nearest_point(u, constraints, gaps, rank_tolerance);
  if (!compressed.exists) return false;
  u = compressed.u;
  if (expansion.isZero(0)) return true;
  u += rows.gaps.transpose() * expansion.cwiseProduct(compressed.multipliers);
  const NearestPoint expanded = nearest_point(u, constraints, gaps, rank_tolerance);
  u = expanded.u;
  return expanded.exists;
}

/// Status of an impact without an admissible velocity.
Status no_velocity(const TouchingRows& rows) {
  if (rows.friction.empty()) return Status::inconsistent_constraints;
  return rows.friction.size() > most_friction_contacts ? Status::not_converged : Status::painleve;
}

Status strike_simultaneously(const TouchingRows& rows, double rank_tolerance, Vector& u) {
  const double size = u.norm();
  const long most = most_projections * rows.gaps.rows();
  for (long pass = 0; pass < most; ++pass) {
    if (!strike_together(rows, rank_tolerance, u)) return no_velocity(rows);
    if (!some_closes(rows, u, size)) return Status::ok;
  }
  return Status::not_converged;
}

/// Returns the gap that closes fastest relative to its terms, the first of equally fast ones; -1 if none closes.
long fastest(const TouchingRows& rows, const Vector& u, double size) {
  const Vector rates = rows.rates(u);
  const Vector terms = rows.terms(std::max(size, u.norm()));
  long found = -1;
  double least = -closing;
  for (long r = 0; r < rates.size(); ++r) {
    if (!(rates[r] < least * terms[r])) continue;
    least = (1 + equally_fast) * rates[r] / terms[r] - row_rounding;
    found = r;
  }
  return found;
}

/// One contact after the other: an impulse along the part of its row in the null space of the constraints changes the
/// rate from v to -e v.
Status strike_in_sequence(const TouchingRows& rows, double rank_tolerance, Vector& u) {
  const double size = u.norm();
  const Matrix Z = null_space(rows.constraints, rank_tolerance);
  const long most = most_projections * rows.gaps.rows();
  for (long count = 0; count <= most; ++count) {
    const long r = fastest(rows, u, size);
    if (r < 0) return Status::ok;
    const Vector normal = Z * (Z.transpose() * rows.gaps.row(r).transpose());
    if (normal.norm() <= rank_tolerance * rows.gaps.row(r).norm()) return Status::inconsistent_constraints;
    u -= (1 + rows.restitution[r]) * rows.rates(u)[r] / normal.squaredNorm() * normal;
  }
  return Status::not_converged;
}

}  // namespace

bool some_closes(const TouchingRows& rows, const Vector& u, double size) {
  return ((rows.rates(u) + closing * rows.terms(std::max(size, u.norm()))).array() < 0).any();
}

Status strike(const TouchingRows& rows, ImpactOrder order, double rank_tolerance, Vector& u) {
  return order == ImpactOrder::simultaneous ? strike_simultaneously(rows, rank_tolerance, u)
                                            : strike_in_sequence(rows, rank_tolerance, u);
}

}  // namespace kalaba::reference
