#include "backend/reference/friction.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

namespace kalaba::reference {
namespace {

constexpr double condition_rounding = 1e-11;  ///< relative to the terms of a condition

double slip_sign(Grip grip) { return grip == Grip::slides_up ? 1 : grip == Grip::slides_down ? -1 : 0; }

int force_count(const std::vector<Grip>& grips) {
  int count = 0;
  for (const Grip grip : grips) count += grip == Grip::open ? 0 : grip == Grip::sticks ? 2 : 1;
  return count;
}

/// Motions that a contact may have.
std::vector<Grip> grips_of(const FrictionContact& contact) {
  if (contact.mu == 0 || contact.slip > 0) return {Grip::open, Grip::slides_up};
  if (contact.slip < 0) return {Grip::open, Grip::slides_down};
  return {Grip::open, Grip::slides_up, Grip::slides_down, Grip::sticks};
}

/// All combinations of the motions of the contacts: those with the fewest closed contacts first, and of these those in
/// which the most stick.
std::vector<std::vector<Grip>> combinations(const std::vector<FrictionContact>& contacts) {
  std::vector<std::vector<Grip>> all = {{}};
  for (const FrictionContact& contact : contacts) {
    std::vector<std::vector<Grip>> longer;
    for (const std::vector<Grip>& each : all) {
      for (const Grip grip : grips_of(contact)) {
        longer.push_back(each);
        longer.back().push_back(grip);
      }
    }
    all = std::move(longer);
  }
  const auto rank = [](const std::vector<Grip>& each) {
    return std::pair(-std::ranges::count(each, Grip::open), -std::ranges::count(each, Grip::sticks));
  };
  std::ranges::stable_sort(all, {}, rank);
  return all;
}

/// The point with these motions and the smallest forces; none if the equations for its forces have no solution, or a
/// condition is violated.
std::optional<Vector> point_with(const std::vector<Grip>& grips, const Vector& start, const Matrix& Z,
                                 const std::vector<FrictionContact>& contacts, double rank_tolerance) {
  const int forces = force_count(grips);
  Matrix held(forces, start.size());  // rows of the equations
  Matrix pushes(forces, start.size());
  Vector bounds(forces);
  int k = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const FrictionContact& contact = contacts[i];
    if (grips[i] == Grip::open) continue;
    held.row(k) = contact.n;
    bounds[k] = contact.n_bound;
    pushes.row(k) = contact.n;
    if (contact.mu > 0) pushes.row(k) -= contact.mu * slip_sign(grips[i]) * contact.t.transpose();
    ++k;
    if (grips[i] != Grip::sticks) continue;
    held.row(k) = pushes.row(k) = contact.t;
    bounds[k++] = contact.t_bound;
  }
  const Matrix held_z = held * Z;
  const Matrix pushes_z = pushes * Z;
  Vector lambda(forces);
  Vector u = start;
  if (forces > 0) {
    const Vector by_held = held_z.rowwise().norm();
    const Vector by_pushes = pushes_z.rowwise().norm();
    for (int i = 0; i < forces; ++i) {
      if (by_held[i] <= rank_tolerance * held.row(i).norm()) return std::nullopt;
      if (by_pushes[i] <= rank_tolerance * pushes.row(i).norm()) return std::nullopt;
    }
    const Matrix K =
        by_held.cwiseInverse().asDiagonal() * held_z * pushes_z.transpose() * by_pushes.cwiseInverse().asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor(forces, forces);
    factor.setThreshold(rank_tolerance).compute(K);
    const bool slides = std::ranges::any_of(grips, [](Grip grip) { return slip_sign(grip) != 0; });
    if (slides && factor.rank() < forces) return std::nullopt;
    const Vector right = (bounds - held * start).cwiseQuotient(by_held);
    const Vector scaled = factor.solve(right);
    if ((K * scaled - right).norm() > condition_rounding * (right.norm() + scaled.norm())) return std::nullopt;
    lambda = scaled.cwiseQuotient(by_pushes);
    u += Z * (pushes_z.transpose() * lambda);
  }
  const double size = std::max(u.norm(), start.norm());
  const auto at_least = [&](double value, double terms) { return value >= -condition_rounding * terms; };
  k = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const FrictionContact& contact = contacts[i];
    const double n_terms = contact.n.norm() * size + std::abs(contact.n_bound);
    if (grips[i] == Grip::open) {
      if (!at_least(contact.n.dot(u) - contact.n_bound, n_terms)) return std::nullopt;
      continue;
    }
    const double push = lambda[k++];
    const double push_terms = size / contact.n.norm();
    if (!at_least(push, push_terms)) return std::nullopt;
    if (grips[i] == Grip::sticks) {
      // Without a tolerance: a contact that has just reached its limit slides.
      if (contact.mu * push < std::abs(lambda[k++])) return std::nullopt;
    } else if (contact.mu > 0 && contact.slip == 0) {
      const double t_terms = contact.t.norm() * size + std::abs(contact.t_bound);
      if (!at_least(slip_sign(grips[i]) * (contact.t.dot(u) - contact.t_bound), t_terms)) return std::nullopt;
    }
  }
  return u;
}

/// Contacts that slide, whose row t depends in the space of Z on the rows of the contacts that hold.
std::vector<bool> carried(const std::vector<Grip>& grips, const Matrix& Z, const std::vector<FrictionContact>& contacts,
                          double rank_tolerance) {
  std::vector<Vector> held;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (grips[i] != Grip::open) held.emplace_back(Z.transpose() * contacts[i].n);
    if (grips[i] == Grip::sticks) held.emplace_back(Z.transpose() * contacts[i].t);
  }
  std::vector<bool> found(contacts.size());
  Matrix columns(Z.cols(), static_cast<long>(held.size()));
  for (std::size_t k = 0; k < held.size(); ++k) columns.col(static_cast<long>(k)) = held[k];
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (slip_sign(grips[i]) == 0 || contacts[i].mu == 0 || contacts[i].slip != 0) continue;
    const Vector t = Z.transpose() * contacts[i].t;
    const Vector rest = t - columns * columns.completeOrthogonalDecomposition().solve(t);
    found[i] = rest.norm() <= static_cast<double>(columns.size()) * rank_tolerance * t.norm();
  }
  return found;
}

}  // namespace

std::optional<FrictionPoint> point_with_friction(const Vector& u_0, const BoundedRows& equations,
                                                 const std::vector<FrictionContact>& contacts, double rank_tolerance) {
  if (contacts.size() > most_friction_contacts) return std::nullopt;
  Vector start = u_0;
  Matrix Z = Matrix::Identity(u_0.size(), u_0.size());
  if (equations.rows.rows() > 0) {
    const NearestPoint on_equations = nearest_point(u_0, equations, {Matrix(0, u_0.size()), Vector()}, rank_tolerance);
    if (!on_equations.exists) return std::nullopt;
    start = on_equations.u;
    Z = null_space(equations.rows, rank_tolerance);
  }
  for (const std::vector<Grip>& grips : combinations(contacts)) {
    const auto u = point_with(grips, start, Z, contacts, rank_tolerance);
    if (u) return FrictionPoint{*u, grips, carried(grips, Z, contacts, rank_tolerance)};
  }
  return std::nullopt;
}

}  // namespace kalaba::reference
