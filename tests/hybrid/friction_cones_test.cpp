// Contacts with friction at one instant: the projection onto friction cones, tested by Coulomb's conditions and by the
// reference, which tries all motions.

#include <gtest/gtest.h>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "backend/reference/friction.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/core/events/friction_cones.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "support/trials.hpp"

namespace kalaba {
namespace {

using reference::BoundedRows;
using reference::FrictionContact;
using reference::Grip;
using reference::Matrix;
using reference::Vector;

constexpr double rank_tolerance = 1e-10;
constexpr int most_rows = 10;  // equations, then normals, then tangents
constexpr int most_columns = 8;

struct Problem {
  Vector u;
  BoundedRows equations;
  std::vector<FrictionContact> contacts;

  int fixed() const { return static_cast<int>(equations.rows.rows()); }
  int m() const { return static_cast<int>(contacts.size()); }
  int n() const { return static_cast<int>(u.size()); }
};

struct Result {
  bool found = false;
  bool feasible = false;
  Vector u;
  std::vector<Grip> grips;
};

template <class X>
using Cones = FrictionCones<X, most_rows, most_columns, JacobiSvd>;

/// Projects one problem in every lane.
template <class X>
Result project(const Problem& problem) {
  const auto cones = std::make_unique<Cones<X>>();
  const auto mask = [](bool holds) { return X(0) < X(holds ? 1 : 0); };
  for (int i = 0; i < most_columns; ++i) cones->u[i] = X(i < problem.n() ? problem.u[i] : 0);
  for (int r = 0; r < most_rows; ++r) {
    for (int i = 0; i < most_columns; ++i) cones->rows(r, i) = X(0);
    cones->bound[r] = cones->friction[r] = cones->slip[r] = X(0);
    cones->tangent[r] = 0;
    cones->equality[r] = mask(r < problem.fixed());
    cones->inequality[r] = mask(r >= problem.fixed() && r < problem.fixed() + problem.m());
  }
  const auto put = [&](int r, const Vector& row, double bound) {
    for (int i = 0; i < problem.n(); ++i) cones->rows(r, i) = X(row[i]);
    cones->bound[r] = X(bound);
  };
  for (int r = 0; r < problem.fixed(); ++r) put(r, problem.equations.rows.row(r), problem.equations.bounds[r]);
  const auto normal_row = [&](int k) { return problem.fixed() + k; };
  const auto tangent_row = [&](int k) { return problem.fixed() + problem.m() + k; };
  for (int k = 0; k < problem.m(); ++k) {
    const FrictionContact& contact = problem.contacts[static_cast<std::size_t>(k)];
    put(normal_row(k), contact.n, contact.n_bound);
    put(tangent_row(k), contact.t, contact.t_bound);
    cones->tangent[normal_row(k)] = tangent_row(k);
    cones->friction[normal_row(k)] = X(contact.mu);
    cones->slip[normal_row(k)] = X(contact.slip);
  }
  const auto found = cones->project_with_friction(Solo{}, rank_tolerance, 3 * 2 * problem.m() + 3, X(0) < X(1));
  Result result;
  result.found = lane_of(select(found, X(1), X(0)), 0) != 0;
  result.feasible = lane_of(select(cones->feasible, X(1), X(0)), 0) != 0;
  result.u.resize(problem.n());
  for (int i = 0; i < problem.n(); ++i) result.u[i] = lane_of(cones->u[i], 0);
  for (int k = 0; k < problem.m(); ++k) {
    const auto is = [&](const auto& where) { return lane_of(select(where, X(1), X(0)), 0) != 0; };
    const double slides = lane_of(cones->slides[normal_row(k)], 0);
    result.grips.push_back(!is(cones->is_closed[normal_row(k)]) ? Grip::open
                           : slides > 0                         ? Grip::slides_up
                           : slides < 0                         ? Grip::slides_down
                                                                : Grip::sticks);
  }
  return result;
}

/// Largest violation of the conditions of a problem by a point and the motions of its contacts, relative to the size of
/// u. The forces are those of the motions, by least squares.
double violation(const Problem& problem, const Vector& u, const std::vector<Grip>& grips) {
  const int m = problem.m();
  const Vector left = u - problem.u;
  Matrix pushes = Matrix::Zero(problem.n(), problem.fixed() + 2 * m);
  pushes.leftCols(problem.fixed()) = problem.equations.rows.transpose();
  for (int k = 0; k < m; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const FrictionContact& contact = problem.contacts[i];
    if (grips[i] == Grip::open) continue;
    const double sign = grips[i] == Grip::slides_up ? 1 : grips[i] == Grip::slides_down ? -1 : 0;
    pushes.col(problem.fixed() + k) = contact.n - sign * contact.mu * contact.t;
    if (sign == 0) pushes.col(problem.fixed() + m + k) = contact.t;
  }
  const Vector forces = pushes.completeOrthogonalDecomposition().solve(left);
  double worst = (pushes * forces - left).norm();
  for (int k = 0; k < m; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const FrictionContact& contact = problem.contacts[i];
    const double push = forces[problem.fixed() + k];
    const double rub = forces[problem.fixed() + m + k];
    const double v_n = contact.n.dot(u) - contact.n_bound;
    const double v_t = contact.t.dot(u) - contact.t_bound;
    worst = std::max({worst, -push, std::abs(rub) - contact.mu * push});
    worst = std::max(worst, grips[i] == Grip::open ? -v_n : std::abs(v_n));
    if (grips[i] == Grip::sticks) worst = std::max(worst, std::abs(v_t));
    if (contact.slip == 0 && grips[i] == Grip::slides_up) worst = std::max(worst, -v_t);
    if (contact.slip == 0 && grips[i] == Grip::slides_down) worst = std::max(worst, v_t);
  }
  if (problem.fixed() > 0) {
    worst = std::max(worst, (problem.equations.rows * u - problem.equations.bounds).cwiseAbs().maxCoeff());
  }
  return worst / std::max(problem.u.norm(), u.norm());
}

Problem random_problem(std::mt19937& random, int m, int fixed, int n, double mu, bool sliding) {
  std::normal_distribution<double> normal;
  const auto vector = [&](int size) { return Vector(Vector::NullaryExpr(size, [&] { return normal(random); })); };
  Problem problem;
  problem.u = vector(n);
  problem.equations = {Matrix::NullaryExpr(fixed, n, [&] { return normal(random); }), vector(fixed)};
  for (int k = 0; k < m; ++k) {
    const int slip = sliding && k % 2 == 0 ? (normal(random) > 0 ? 1 : -1) : 0;
    problem.contacts.push_back({vector(n), normal(random), vector(n), normal(random), mu, slip});
  }
  return problem;
}

TEST(FrictionCones, RandomProblemsSatisfyCoulombsLaw) {
  std::mt19937 random(7);
  int found = 0;
  int missed = 0;
  int failed = 0;
  int wrong = 0;
  for (const bool sliding : {false, true}) {
    for (const double mu : {0.1, 0.3, 1.0}) {
      for (int trial = 0; trial < trials(1000); ++trial) {
        const int m = 1 + trial % 3;
        const Problem problem = random_problem(random, m, trial % 2, 8, mu, sliding);
        const Result core = project<double>(problem);
        const auto other =
            reference::point_with_friction(problem.u, problem.equations, problem.contacts, rank_tolerance);
        if (core.found && violation(problem, core.u, core.grips) > 1e-9) ++wrong;
        if (other) {
          EXPECT_LE(violation(problem, other->u, other->grips), 1e-9);
        }
        found += core.found;
        missed += !core.found && other ? 1 : 0;
        failed += !core.found && !other ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(missed, 0);
  EXPECT_LE(failed, found / 100);  // Painleve's paradox
}

/// Accelerations of a stack of blocks of mass 1 at rest on each other, with random horizontal forces, of which some let
/// a contact begin to slide. Coordinates: x and y of each block.
Problem stack(std::mt19937& random, int blocks, double mu, bool sliding, bool at_onset) {
  std::uniform_real_distribution<double> force(-8, 8);
  Problem problem;
  problem.u = Vector::Zero(2 * blocks);
  problem.equations = {Matrix(0, 2 * blocks), Vector(0)};
  double above = 0;  // friction of the block above on this one
  for (int k = blocks - 1; k >= 0; --k) {
    problem.u[2 * k] = force(random);
    problem.u[2 * k + 1] = -10;
    const double most = mu * 10 * (blocks - k);
    const bool slides = sliding && k % 2 == 1;
    const double own = slides ? -most : std::clamp(-(problem.u[2 * k] + above), -most, most);
    if (at_onset && k == 0) problem.u[0] = most - above;
    above = -own;
  }
  for (int k = 0; k < blocks; ++k) {
    Vector n = Vector::Zero(2 * blocks);
    Vector t = Vector::Zero(2 * blocks);
    n[2 * k + 1] = t[2 * k] = 1;
    if (k > 0) n[2 * k - 1] = t[2 * k - 2] = -1;
    problem.contacts.push_back({n, 0.0, t, 0.0, mu, sliding && k % 2 == 1 ? 1 : 0});
  }
  return problem;
}

TEST(FrictionCones, StacksAlwaysMove) {
  std::mt19937 random(3);
  int wrong = 0;
  int missed = 0;
  for (const bool sliding : {false, true}) {
    for (const bool at_onset : {false, true}) {
      for (const double mu : {0.05, 0.3, 0.8}) {
        for (int trial = 0; trial < trials(300); ++trial) {
          const Problem problem = stack(random, 1 + trial % 4, mu, sliding, at_onset);
          const Result core = project<double>(problem);
          missed += core.found ? 0 : 1;
          if (core.found && violation(problem, core.u, core.grips) > 1e-9) ++wrong;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace kalaba
