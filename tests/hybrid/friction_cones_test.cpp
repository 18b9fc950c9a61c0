// Contacts with friction at one instant: the projection onto friction cones, tested by Coulomb's conditions and by the
// reference, which tries all motions.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
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
using reference::GrippedContact;
using reference::Matrix;
using reference::Vector;

constexpr double rank_tolerance = 1e-10;
constexpr int most_rows = 16;  // equations, then normals, then tangents
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
  std::vector<GrippedContact> contacts;
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
    cones->bound[r] = cones->friction[r] = cones->slip[r] = cones->second_slip[r] = X(0);
    cones->least_terms[r] = X(0);
    cones->tangent[r] = cones->second[r] = 0;
    cones->equality[r] = mask(r < problem.fixed());
    cones->inequality[r] = mask(r >= problem.fixed() && r < problem.fixed() + problem.m());
  }
  const auto put = [&](int r, const Vector& row, double bound) {
    for (int i = 0; i < problem.n(); ++i) cones->rows(r, i) = X(row[i]);
    cones->bound[r] = X(bound);
  };
  for (int r = 0; r < problem.fixed(); ++r) put(r, problem.equations.rows.row(r), problem.equations.bounds[r]);
  const auto normal_row = [&](int k) { return problem.fixed() + k; };
  const auto tangent_row = [&](int k) { return problem.fixed() + problem.m() + 2 * k; };
  for (int k = 0; k < problem.m(); ++k) {
    const FrictionContact& contact = problem.contacts[static_cast<std::size_t>(k)];
    put(normal_row(k), contact.n, contact.n_bound);
    for (int i = 0; i < contact.t.rows(); ++i) put(tangent_row(k) + i, contact.t.row(i), contact.t_bound[i]);
    const auto component = [&](int i) { return X(i < contact.slip.size() ? contact.slip[i] : 0); };
    cones->tangent[normal_row(k)] = tangent_row(k);
    cones->second[normal_row(k)] = contact.t.rows() > 1 ? tangent_row(k) + 1 : 0;
    cones->friction[normal_row(k)] = X(contact.mu);
    cones->slip[normal_row(k)] = component(0);
    cones->second_slip[normal_row(k)] = component(1);
  }
  const auto found = cones->project_with_friction(Solo{}, rank_tolerance, 3 * 2 * problem.m() + 3, X(0) < X(1));
  Result result;
  result.found = lane_of(select(found, X(1), X(0)), 0) != 0;
  result.feasible = lane_of(select(cones->feasible, X(1), X(0)), 0) != 0;
  result.u.resize(problem.n());
  for (int i = 0; i < problem.n(); ++i) result.u[i] = lane_of(cones->u[i], 0);
  for (int k = 0; k < problem.m(); ++k) {
    const auto is = [&](const auto& where) { return lane_of(select(where, X(1), X(0)), 0) != 0; };
    const long directions = problem.contacts[static_cast<std::size_t>(k)].t.rows();
    const Eigen::Vector2d way(lane_of(cones->slides[normal_row(k)], 0),
                              lane_of(cones->second_slides[normal_row(k)], 0));
    GrippedContact contact;
    if (is(cones->is_closed[normal_row(k)])) contact.grip = way.isZero(0) ? Grip::sticks : Grip::slides;
    if (contact.grip == Grip::slides) contact.way = way.head(directions);
    result.contacts.push_back(contact);
  }
  return result;
}

/// Largest violation of the conditions of a problem by a point and the motions of its contacts, relative to the size of
/// u. The forces are those of the motions, by least squares.
double violation(const Problem& problem, const Vector& u, const std::vector<GrippedContact>& motions) {
  const int m = problem.m();
  const Vector left = u - problem.u;
  Matrix pushes = Matrix::Zero(problem.n(), problem.fixed() + 3 * m);
  pushes.leftCols(problem.fixed()) = problem.equations.rows.transpose();
  for (int k = 0; k < m; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const FrictionContact& contact = problem.contacts[i];
    if (motions[i].grip == Grip::open) continue;
    pushes.col(problem.fixed() + 3 * k) = contact.n;
    if (motions[i].grip == Grip::slides) {
      pushes.col(problem.fixed() + 3 * k) -= contact.mu * contact.t.transpose() * motions[i].way;
    } else {
      pushes.middleCols(problem.fixed() + 3 * k + 1, contact.t.rows()) = contact.t.transpose();
    }
  }
  const Vector forces = pushes.completeOrthogonalDecomposition().solve(left);
  double worst = (pushes * forces - left).norm();
  for (int k = 0; k < m; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const FrictionContact& contact = problem.contacts[i];
    const double push = forces[problem.fixed() + 3 * k];
    const double rub = forces.segment(problem.fixed() + 3 * k + 1, 2).norm();
    const double v_n = contact.n.dot(u) - contact.n_bound;
    const Vector slip = contact.slip_at(u);
    worst = std::max({worst, -push, rub - contact.mu * push});
    worst = std::max(worst, motions[i].grip == Grip::open ? -v_n : std::abs(v_n));
    if (motions[i].grip == Grip::sticks) worst = std::max(worst, slip.norm());
    if (motions[i].grip != Grip::slides || contact.slip.size() > 0) continue;
    const double along = motions[i].way.dot(slip);
    worst = std::max({worst, -along, (slip - along * motions[i].way).norm()});
  }
  if (problem.fixed() > 0) {
    worst = std::max(worst, (problem.equations.rows * u - problem.equations.bounds).cwiseAbs().maxCoeff());
  }
  return worst / std::max(problem.u.norm(), u.norm());
}

Problem random_problem(std::mt19937& random, int m, int fixed, int n, int directions, double mu, bool sliding) {
  std::normal_distribution<double> normal;
  const auto vector = [&](int size) { return Vector(Vector::NullaryExpr(size, [&] { return normal(random); })); };
  Problem problem;
  problem.u = vector(n);
  problem.equations = {Matrix::NullaryExpr(fixed, n, [&] { return normal(random); }), vector(fixed)};
  for (int k = 0; k < m; ++k) {
    const Vector slip = sliding && k % 2 == 0 ? Vector(vector(directions).normalized()) : Vector();
    const Matrix t = Matrix::NullaryExpr(directions, n, [&] { return normal(random); });
    problem.contacts.push_back({vector(n), normal(random), t, vector(directions), mu, slip});
  }
  return problem;
}

/// Numbers of problems by how they end.
struct Ends {
  int found = 0;
  int missed = 0;  ///< which the reference solves
  int failed = 0;  ///< neither solves: Painleve's paradox
  int wrong = 0;

  void add(const Problem& problem) {
    const Result core = project<double>(problem);
    const auto other = reference::point_with_friction(problem.u, problem.equations, problem.contacts, rank_tolerance);
    if (core.found && violation(problem, core.u, core.contacts) > 1e-9) ++wrong;
    if (other) {
      EXPECT_LE(violation(problem, other->u, other->contacts), 1e-9);
    }
    found += core.found;
    missed += !core.found && other ? 1 : 0;
    failed += !core.found && !other ? 1 : 0;
  }
};

/// Random problems with friction along this number of directions: all that the reference solves are solved.
void expect_solutions(int directions, double most_mu, int count) {
  std::mt19937 random(static_cast<unsigned>(6 + directions));
  Ends ends;
  for (const bool sliding : {false, true}) {
    for (const double mu : {0.1, 0.3, most_mu}) {
      for (int trial = 0; trial < trials(count); ++trial) {
        ends.add(random_problem(random, 1 + trial % 3, trial % 2, 8, directions, mu, sliding));
      }
    }
  }
  EXPECT_EQ(ends.wrong, 0);
  EXPECT_EQ(ends.missed, 0);
  EXPECT_LE(ends.failed, ends.found / 100);
}

TEST(FrictionCones, RandomProblemsSatisfyCoulombsLaw) { expect_solutions(1, 1.0, 1000); }
TEST(FrictionCones, RandomProblemsInSpaceSatisfyCoulombsLaw) { expect_solutions(2, 0.6, 300); }

/// A rigid body of mass 1 on up to four corners that are pushed against a floor, near the onset of sliding: in
/// coordinates in which its metric is the unit matrix.
Problem body_on_corners(std::mt19937& random, int corners, double mu, bool is_even) {
  std::normal_distribution<double> normal;
  const Eigen::Vector3d radii(0.6, 0.8, 0.9);  // of gyration
  Problem problem;
  problem.u = Vector::NullaryExpr(6, [&] { return normal(random); });
  problem.u.head(3) = Eigen::Vector3d(10 * mu * problem.u[0], 10 * mu * problem.u[1], -10);
  problem.equations = {Matrix(0, 6), Vector(0)};
  for (int k = 0; k < corners; ++k) {
    Eigen::Vector3d place((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, -0.3);
    if (!is_even) place += 0.2 * Eigen::Vector3d(normal(random), normal(random), normal(random));
    const auto row = [&](const Eigen::Vector3d& direction) {
      Vector result(6);
      result << direction, place.cross(direction).cwiseQuotient(radii);
      return result;
    };
    Matrix t(2, 6);
    t << row(Eigen::Vector3d::UnitX()).transpose(), row(Eigen::Vector3d::UnitY()).transpose();
    problem.contacts.push_back({row(Eigen::Vector3d::UnitZ()), 0.0, t, Vector::Zero(2), mu, {}});
  }
  return problem;
}

TEST(FrictionCones, BodiesOnCornersAlwaysMove) {
  std::mt19937 random(4);
  int count = 0;
  int found = 0;
  int wrong = 0;
  for (const bool is_even : {true, false}) {
    for (const double mu : {0.1, 0.3, 0.8}) {
      for (int trial = 0; trial < trials(400); ++trial) {
        const int corners = 1 + trial % 4;
        const Problem problem = body_on_corners(random, corners, mu, is_even);
        const Result core = project<double>(problem);
        ++count;
        found += core.found;
        // The forces of four corners are not unique, so that others than those found may be compared.
        if (core.found && corners < 4 && violation(problem, core.u, core.contacts) > 1e-9) ++wrong;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(found, count - count / 1000);
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
    const Vector slip = sliding && k % 2 == 1 ? Vector(Vector::Ones(1)) : Vector();
    problem.contacts.push_back({n, 0.0, t.transpose(), Vector::Zero(1), mu, slip});
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
          if (core.found && violation(problem, core.u, core.contacts) > 1e-9) ++wrong;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(missed, 0);
}

/// A box of 1 kg on four corners, 0.4 m by 0.3 m by 0.2 m, with a push at floor height across one end.
Problem pushed_box(double push) {
  const Vector roots = Vector((Vector(6) << 1, 1, 1, 0.13 / 12, 0.2 / 12, 0.25 / 12).finished()).cwiseSqrt();
  Problem problem;
  problem.equations = {Matrix(0, 6), Vector(0)};
  problem.u = Vector((Vector(6) << 0, push, -10, 0.1 * push, 0, 0.2 * push).finished()).cwiseQuotient(roots);
  for (const auto& [x, y] : {std::pair(0.2, 0.15), {-0.2, 0.15}, {-0.2, -0.15}, {0.2, -0.15}}) {
    Matrix rows(3, 6);
    rows << 0, 0, 1, y, -x, 0, 1, 0, 0, 0, -0.1, -y, 0, 1, 0, 0.1, 0, x;
    rows = (rows * roots.cwiseInverse().asDiagonal()).eval();
    problem.contacts.push_back({rows.row(0), 0.0, rows.bottomRows(2), Vector::Zero(2), 0.5, Vector()});
  }
  return problem;
}

/// Corners that hardly slide need many steps for their directions. With equal pressures, the box begins to slide at
/// 3.504345 N (a linear programme gives 3.5043 N), and then its acceleration grows with the push, without a jump.
TEST(FrictionCones, ABoxBeginsToSlideWithoutAJump) {
  EXPECT_LT(project<double>(pushed_box(3.5043)).u.norm(), 1e-9);
  for (const double excess : {1e-4, 1e-3, 3e-3, 1e-2, 0.03, 0.1}) {
    const Result core = project<double>(pushed_box(3.504345 + excess));
    ASSERT_TRUE(core.found) << excess;
    EXPECT_NEAR(core.u[1], 1.35 * excess, 0.03 * excess + 1e-5) << excess;
  }
}

}  // namespace
}  // namespace kalaba
