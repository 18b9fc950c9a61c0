#include "backend/reference/friction.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kalaba::reference {
namespace {

constexpr double condition_rounding = 1e-11;  ///< relative to the terms of a condition
/// Excess of friction that sticks: half of that at which its event occurs, after which a contact slides.
constexpr double at_limit = 0x1p-41;

constexpr int newton_steps = 20;
constexpr int directions = 4;    ///< in which a contact is supposed to begin to slide in a plane
constexpr int most_turning = 3;  ///< contacts of which all combinations of these directions are tried

using Motions = std::vector<GrippedContact>;

/// Motions that a contact may have. The direction of one that slides in a plane is empty if u decides on it.
Motions motions_of(const FrictionContact& contact) {
  const GrippedContact open;
  if (contact.mu == 0 || contact.slip.size() > 0) return {open, {Grip::slides, contact.slip}};
  if (contact.t.rows() > 1) return {open, {Grip::slides, {}}, {Grip::sticks, {}}};
  const Vector up = Vector::Ones(1);
  return {open, {Grip::slides, up}, {Grip::slides, -up}, {Grip::sticks, {}}};
}

/// All combinations of the motions of the contacts: those with the most closed contacts first, and of these those in
/// which the most stick.
std::vector<Motions> combinations(const std::vector<FrictionContact>& contacts) {
  std::vector<Motions> all = {{}};
  for (const FrictionContact& contact : contacts) {
    std::vector<Motions> longer;
    for (const Motions& each : all) {
      for (const GrippedContact& motion : motions_of(contact)) {
        longer.push_back(each);
        longer.back().push_back(motion);
      }
    }
    all = std::move(longer);
  }
  const auto rank = [](const Motions& each) {
    return std::pair(std::ranges::count(each, Grip::open, &GrippedContact::grip),
                     -std::ranges::count(each, Grip::sticks, &GrippedContact::grip));
  };
  std::ranges::stable_sort(all, {}, rank);
  return all;
}

/// A point with the forces of its contacts.
struct Loaded {
  Vector u;
  std::vector<double> pushes;     ///< lambda_n
  std::vector<Vector> frictions;  ///< lambda_t of contacts that stick
};

/// The equations of contacts at a point on the equations of the model.
struct Problem {
  const Vector& start;
  const Matrix& Z;  ///< basis of the null space of the equations
  const std::vector<FrictionContact>& contacts;
  double rank_tolerance;

  /// The point with these motions and the smallest forces; none if the equations for its forces have no solution.
  std::optional<Loaded> point_with(const Motions& motions) const;
  /// Indices of the contacts that begin to slide in a plane.
  std::vector<std::size_t> turning(const Motions& motions) const;
  /// Sets the directions of these contacts. Returns false if none are found from the directions at the start
  /// (`attempt` -1) or from a combination of `directions`.
  bool find_directions(Motions& motions, int attempt) const;
  /// Returns true if the point satisfies the inequalities of its motions.
  bool satisfies(const Loaded& point, const Motions& motions) const;
};

std::optional<Loaded> Problem::point_with(const Motions& motions) const {
  std::vector<Vector> held;  // rows of the equations
  std::vector<Vector> rubbed;
  std::vector<double> right;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const FrictionContact& contact = contacts[i];
    if (motions[i].grip == Grip::open) continue;
    const bool rubs = motions[i].grip == Grip::slides && contact.mu > 0;
    held.push_back(contact.n);
    rubbed.push_back(rubs ? Vector(-contact.mu * contact.t.transpose() * motions[i].way) : Vector::Zero(start.size()));
    right.push_back(contact.n_bound);
    for (long k = 0; k < contact.t.rows() && motions[i].grip == Grip::sticks; ++k) {
      held.emplace_back(contact.t.row(k));
      rubbed.emplace_back(Vector::Zero(start.size()));
      right.push_back(contact.t_bound[k]);
    }
  }
  const auto forces = static_cast<long>(held.size());
  Loaded point{start, {}, {}};
  Vector lambda(forces);
  if (forces > 0) {
    Matrix rows(forces, Z.cols());  // of unit length
    Matrix friction(forces, Z.cols());
    Vector wanted(forces);
    Vector lengths(forces);
    for (long i = 0; i < forces; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Vector free = Z.transpose() * held[k];
      lengths[i] = free.norm();
      if (lengths[i] <= rank_tolerance * held[k].norm()) return std::nullopt;
      rows.row(i) = free / lengths[i];
      friction.row(i) = Z.transpose() * rubbed[k] / lengths[i];
      wanted[i] = (right[k] - held[k].dot(start)) / lengths[i];
    }
    // The steps compute the smallest multipliers s of the rows, for given friction: s = (R R^T)+ (c - R F^T s).
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor(forces, forces);
    factor.setThreshold(rank_tolerance).compute(rows * rows.transpose());
    const Matrix whole = Matrix::Identity(forces, forces) + factor.solve(rows * friction.transpose());
    const Eigen::FullPivLU<Matrix> solver(whole);
    if (solver.rcond() < rank_tolerance) return std::nullopt;
    const Vector scaled = solver.solve(factor.solve(wanted));
    const Vector moved = (rows + friction).transpose() * scaled;
    if ((rows * moved - wanted).norm() > condition_rounding * (wanted.norm() + scaled.norm())) return std::nullopt;
    lambda = scaled.cwiseQuotient(lengths);
    point.u += Z * moved;
  }
  long next = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    point.pushes.push_back(motions[i].grip == Grip::open ? 0 : lambda[next++]);
    const long count = motions[i].grip == Grip::sticks ? contacts[i].t.rows() : 0;
    point.frictions.emplace_back(lambda.segment(next, count));
    next += count;
  }
  return point;
}

std::vector<std::size_t> Problem::turning(const Motions& motions) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (motions[i].grip == Grip::slides && contacts[i].mu > 0 && motions[i].way.size() == 0) found.push_back(i);
  }
  return found;
}

bool Problem::find_directions(Motions& motions, int attempt) const {
  const std::vector<std::size_t> turning = this->turning(motions);
  if (turning.empty()) return true;
  const auto count = static_cast<long>(turning.size());
  Vector angles(count);
  for (long k = 0; k < count; ++k) {
    const Vector slip = contacts[turning[static_cast<std::size_t>(k)]].slip_at(start);
    const int digit = attempt / static_cast<int>(std::pow(directions, k % most_turning)) % directions;
    angles[k] = attempt < 0 ? std::atan2(slip[1], slip[0]) : 2 * std::numbers::pi * digit / directions;
  }
  const auto set = [&](const Vector& to) {
    for (long k = 0; k < count; ++k) {
      motions[turning[static_cast<std::size_t>(k)]].way = Eigen::Vector2d(std::cos(to[k]), std::sin(to[k]));
    }
  };
  // Slips across the directions.
  const auto residual = [&](const Vector& at) -> std::optional<Vector> {
    set(at);
    const auto point = point_with(motions);
    if (!point) return std::nullopt;
    Vector across(count);
    for (long k = 0; k < count; ++k) {
      const Vector slip = contacts[turning[static_cast<std::size_t>(k)]].slip_at(point->u);
      across[k] = std::cos(at[k]) * slip[1] - std::sin(at[k]) * slip[0];
    }
    return across;
  };
  constexpr double part = 1e-6;  // of an angle, for differences
  for (int step = 0; step < newton_steps; ++step) {
    const auto here = residual(angles);
    if (!here) return false;
    Matrix slopes(count, count);
    for (long k = 0; k < count; ++k) {
      Vector moved = angles;
      moved[k] += part;
      const auto there = residual(moved);
      if (!there) return false;
      slopes.col(k) = (*there - *here) / part;
    }
    Vector turn = slopes.fullPivLu().solve(*here);
    if (!turn.allFinite()) return false;
    turn *= std::min(1.0, 0.5 / turn.cwiseAbs().maxCoeff());
    angles -= turn;
    if (turn.cwiseAbs().maxCoeff() <= 1e-15) break;
  }
  set(angles);
  return true;
}

bool Problem::satisfies(const Loaded& point, const Motions& motions) const {
  const double size = std::max(point.u.norm(), start.norm());
  const auto at_least = [&](double value, double terms) { return value >= -condition_rounding * terms; };
  double largest = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    largest = std::max(largest, std::abs(point.pushes[i]) * contacts[i].n.norm());
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const FrictionContact& contact = contacts[i];
    const double n_terms = contact.n.norm() * size + std::abs(contact.n_bound);
    if (motions[i].grip == Grip::open) {
      if (!at_least(contact.n.dot(point.u) - contact.n_bound, n_terms)) return false;
      continue;
    }
    if (point.pushes[i] * contact.n.norm() <= condition_rounding * largest) return false;
    if (motions[i].grip == Grip::sticks) {
      if ((1 + at_limit) * contact.mu * point.pushes[i] < point.frictions[i].norm()) return false;
    } else if (contact.mu > 0 && contact.slip.size() == 0) {
      const double t_terms = contact.t.norm() * size + contact.t_bound.norm();
      const Vector slip = contact.slip_at(point.u);
      const Vector& way = motions[i].way;
      if (!at_least(way.dot(slip), t_terms)) return false;
      if (!at_least(-(slip - way.dot(slip) * way).norm(), t_terms)) return false;
    }
  }
  return true;
}

/// Contacts that slide, whose slip depends in the space of Z on the rows of the contacts that hold.
std::vector<bool> carried(const Motions& motions, const Matrix& Z, const std::vector<FrictionContact>& contacts,
                          double rank_tolerance) {
  std::vector<Vector> held;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (motions[i].grip != Grip::open) held.emplace_back(Z.transpose() * contacts[i].n);
    for (long k = 0; k < contacts[i].t.rows() && motions[i].grip == Grip::sticks; ++k) {
      held.emplace_back(Z.transpose() * contacts[i].t.row(k).transpose());
    }
  }
  std::vector<bool> found(contacts.size());
  Matrix columns(Z.cols(), static_cast<long>(held.size()));
  for (std::size_t k = 0; k < held.size(); ++k) columns.col(static_cast<long>(k)) = held[k];
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (motions[i].grip != Grip::slides || contacts[i].mu == 0 || contacts[i].slip.size() > 0) continue;
    const Vector t = Z.transpose() * contacts[i].t.transpose() * motions[i].way;
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
  const Problem problem = {start, Z, contacts, rank_tolerance};
  for (const Motions& each : combinations(contacts)) {
    const auto turning = std::min(problem.turning(each).size(), std::size_t{most_turning});
    const int attempts = turning == 0 ? 0 : static_cast<int>(std::pow(directions, turning));
    for (int attempt = -1; attempt < attempts; ++attempt) {
      Motions motions = each;
      if (!problem.find_directions(motions, attempt)) continue;
      const auto point = problem.point_with(motions);
      if (!point || !problem.satisfies(*point, motions)) continue;
      return FrictionPoint{point->u, motions, carried(motions, Z, contacts, rank_tolerance)};
    }
  }
  return std::nullopt;
}

}  // namespace kalaba::reference
