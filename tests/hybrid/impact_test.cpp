// Impacts: the projection of a velocity onto constraints and contacts, tested by its optimality conditions, by an
// enumeration of active sets, and by impacts with known results.

#include "kalaba/core/events/impact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "backend/reference/impact.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "support/thread_team.hpp"
#include "support/trials.hpp"

namespace kalaba {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rank_tolerance = 1e-6;
constexpr int most_rows = 14;
constexpr int most_columns = 16;

/// Rows of constraints, then rows of contacts, in the unit metric.
struct Problem {
  MatrixXd constraints;
  MatrixXd contacts;
  VectorXd u;
  VectorXd restitution;
  VectorXd offsets = {};  ///< of the rates of the contacts; empty: zero

  int m() const { return static_cast<int>(contacts.rows()); }
  int fixed() const { return static_cast<int>(constraints.rows()); }
  int n() const { return static_cast<int>(u.size()); }
};

struct Result {
  bool found = false;
  VectorXd u;
  VectorXd multipliers;
  int solves = 0;
};

/// Writes the problem into lane `lane` of an impact whose other rows and columns are absent.
template <class X, int Rows, int Columns, template <class, int, int> class Inverse>
void set_lane(Impact<X, Rows, Columns, Inverse>& impact, const Problem& problem, const X& where) {
  const auto put = [&](X& number, double value) { number = select(X(0.5) < where, X(value), number); };
  for (int r = 0; r < Rows; ++r) {
    const bool is_constraint = r < problem.fixed();
    const bool is_contact = !is_constraint && r < problem.fixed() + problem.m();
    for (int i = 0; i < Columns; ++i) {
      const bool has_entry = (is_constraint || is_contact) && i < problem.n();
      put(impact.rows(r, i), !has_entry      ? 0
                             : is_constraint ? problem.constraints(r, i)
                                             : problem.contacts(r - problem.fixed(), i));
    }
    const bool has_offset = is_contact && problem.offsets.size() > 0;
    put(impact.offset[r], has_offset ? problem.offsets[r - problem.fixed()] : 0);
    put(impact.restitution[r], is_contact ? problem.restitution[r - problem.fixed()] : 0);
    put(impact.least_terms[r], 0);
  }
  for (int i = 0; i < Columns; ++i) put(impact.u[i], i < problem.n() ? problem.u[i] : 0);
}

/// Marks the rows of problems with these numbers of rows.
template <class I>
void set_kinds(I& impact, const Problem& problem, bool poisson) {
  using X = std::remove_reference_t<decltype(impact.u[0])>;
  const auto mask = [](bool holds) { return X(0) < X(holds ? 1 : 0); };
  for (int r = 0; r < I::E::size; ++r) {
    const bool is_contact = r >= problem.fixed() && r < problem.fixed() + problem.m();
    impact.equality[r] = impact.constraint[r] = mask(r < problem.fixed());
    impact.inequality[r] = impact.touching[r] = mask(is_contact);
    impact.poisson[r] = mask(poisson);
  }
}

/// Work of a member at an impact: the law, or one projection only.
enum class Work { impact, projection };

/// One impact per lane, by the inverse given. All problems have equal numbers of rows.
template <class X, template <class, int, int> class Inverse>
std::vector<Result> strike(const std::vector<Problem>& problems, ImpactOrder order = ImpactOrder::simultaneous,
                           bool poisson = false, Work work = Work::impact) {
  using I = Impact<X, most_rows, most_columns, Inverse>;
  const auto impact = std::make_unique<I>();
  const Problem& first = problems.front();
  for (std::size_t lane = 0; lane < problems.size(); ++lane) {
    X where(0);
    if constexpr (sizeof(X) > sizeof(double)) {
      double numbers[sizeof(X) / sizeof(double)] = {};
      numbers[lane] = 1;
      where = X::load(numbers);
    } else {
      where = X(1);
    }
    set_lane(*impact, problems[lane], where);
  }
  set_kinds(*impact, first, poisson);
  for (int r = 0; r < most_rows; ++r) impact->bound[r] = -impact->restitution[r] * impact->rate(r);
  const auto everywhere = X(0) < X(1);
  const auto found = work == Work::impact
                         ? impact->apply(Solo{}, rank_tolerance, order, first.m(), everywhere)
                         : impact->project(Solo{}, rank_tolerance, I::most_solves(first.m()), everywhere);
  std::vector<Result> results;
  for (std::size_t lane = 0; lane < problems.size(); ++lane) {
    const int at = static_cast<int>(lane);
    Result result;
    result.found = lane_of(select(found, X(1), X(0)), at) != 0;
    result.u.resize(first.n());
    result.multipliers.resize(first.fixed() + first.m());
    for (int i = 0; i < first.n(); ++i) result.u[i] = lane_of(impact->u[i], at);
    for (int r = 0; r < first.fixed() + first.m(); ++r) result.multipliers[r] = lane_of(impact->multipliers[r], at);
    result.solves = static_cast<int>(lane_of(impact->solves, at));
    results.push_back(result);
  }
  return results;
}

template <template <class, int, int> class Inverse = JacobiSvd>
Result project_one(const Problem& problem) {
  return strike<double, Inverse>({problem}, ImpactOrder::simultaneous, false, Work::projection).front();
}

template <template <class, int, int> class Inverse = JacobiSvd>
Result strike_one(const Problem& problem, ImpactOrder order = ImpactOrder::simultaneous, bool poisson = false) {
  return strike<double, Inverse>({problem}, order, poisson).front();
}

MatrixXd random_matrix(std::mt19937& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

struct Sizes {
  int m;
  int rank;
  int fixed;
  int n;
};
constexpr Sizes all_sizes[] = {{1, 1, 0, 3},  {2, 2, 2, 6},  {3, 2, 3, 8},  {4, 2, 4, 8},
                               {4, 4, 4, 10}, {6, 3, 6, 12}, {8, 6, 6, 16}, {8, 3, 6, 12}};

/// A state on its constraints, half of which are repetitions; the contacts have the given rank.
Problem random_problem(std::mt19937& random, const Sizes& sizes, double e) {
  const int distinct = std::max(1, sizes.fixed / 2);
  const MatrixXd base = random_matrix(random, distinct, sizes.n);
  Problem problem;
  problem.constraints.resize(sizes.fixed, sizes.n);
  for (int r = 0; r < sizes.fixed; ++r) {
    problem.constraints.row(r) = base.row(std::uniform_int_distribution<int>(0, distinct - 1)(random));
  }
  problem.contacts = random_matrix(random, sizes.m, sizes.rank) * random_matrix(random, sizes.rank, sizes.n);
  problem.u = random_matrix(random, sizes.n, 1);
  if (sizes.fixed > 0) {
    const MatrixXd inverse = problem.constraints.completeOrthogonalDecomposition().pseudoInverse();
    problem.u -= inverse * (problem.constraints * problem.u);
  }
  problem.restitution = VectorXd::Constant(sizes.m, e);
  return problem;
}

/// Largest violation of the optimality conditions, relative to the terms; `before` is u before the last projection.
double optimality(const Problem& problem, const Result& result) {
  const VectorXd gap = problem.contacts * result.u + problem.restitution.cwiseProduct(problem.contacts * problem.u);
  const VectorXd lambda = result.multipliers.tail(problem.m());
  const double size = problem.u.norm();
  const double length = problem.contacts.rowwise().norm().maxCoeff();
  VectorXd force = problem.contacts.transpose() * lambda;
  double worst = 0;
  if (problem.fixed() > 0) {
    force += problem.constraints.transpose() * result.multipliers.head(problem.fixed());
    worst = (problem.constraints * result.u).cwiseAbs().maxCoeff() / (size * problem.constraints.norm());
  }
  worst = std::max(worst, -gap.minCoeff() / (size * length));
  worst = std::max(worst, -lambda.minCoeff() * length / size);
  worst = std::max(worst, lambda.cwiseProduct(gap).cwiseAbs().maxCoeff() / (size * size));
  return std::max(worst, (result.u - problem.u - force).norm() / size);
}

template <template <class, int, int> class Inverse>
void check_random_problems(int count) {
  std::mt19937 random(1);
  double worst = 0;
  int most = 0;
  for (const Sizes& sizes : all_sizes) {
    for (int trial = 0; trial < trials(count); ++trial) {
      const double e = 0.25 * (trial % 5);
      const Problem problem = random_problem(random, sizes, e);
      const Result result = project_one<Inverse>(problem);
      ASSERT_TRUE(result.found) << sizes.m << ' ' << sizes.rank << ' ' << trial;
      EXPECT_LE(result.solves, 3 * sizes.m + 3);
      most = std::max(most, result.solves);
      const double error = optimality(problem, result);
      worst = std::max(worst, error);
      EXPECT_LE(error, 1e-9) << sizes.m << ' ' << sizes.rank << ' ' << trial;
      EXPECT_LE(result.u.squaredNorm(), problem.u.squaredNorm() * (1 + 1e-12));
      if (e == 1 || trial % 4 != 0) continue;  // for e = 1, jammed contacts reflect a velocity for ever
      const Result repeated = strike_one<Inverse>(problem);
      ASSERT_TRUE(repeated.found) << sizes.m << ' ' << sizes.rank << ' ' << trial;
      EXPECT_LE(repeated.u.squaredNorm(), result.u.squaredNorm() * (1 + 1e-12));
      EXPECT_GE((problem.contacts * repeated.u).minCoeff(), -1e-9 * problem.u.norm() * problem.contacts.norm());
    }
  }

  std::printf("worst optimality %.1e, most solves %d\n", worst, most);
}

TEST(Impact, RandomProblemsAreSolvedBySvd) { check_random_problems<JacobiSvd>(2000); }
TEST(Impact, RandomProblemsAreSolvedByQr) { check_random_problems<PivotedQr>(400); }

TEST(Impact, AgreesWithEnumerationOfActiveSets) {
  std::mt19937 random(2);
  for (const Sizes& sizes : all_sizes) {
    for (int trial = 0; trial < trials(60); ++trial) {
      const Problem problem = random_problem(random, sizes, 0.5);
      const Result result = project_one(problem);
      const VectorXd bound = -0.5 * (problem.contacts * problem.u);
      const auto expected = reference::nearest_point(problem.u, {problem.constraints, VectorXd::Zero(sizes.fixed)},
                                                     {problem.contacts, bound}, rank_tolerance);
      ASSERT_TRUE(expected.exists);
      EXPECT_LE((result.u - expected.u).norm(), 1e-11 * problem.u.norm()) << sizes.m << ' ' << trial;
      const auto also = reference::nearest_point(problem.u, {problem.constraints, VectorXd::Zero(sizes.fixed)},
                                                 {problem.contacts, bound}, rank_tolerance, 0);
      ASSERT_TRUE(also.exists) << sizes.m << ' ' << trial;
      EXPECT_LE((also.u - expected.u).norm(), 1e-11 * problem.u.norm()) << sizes.m << ' ' << trial;
    }
  }
}

/// More contacts than the reference enumerates.
TEST(Impact, OfManyContactsAgreesWithTheReference) {
  std::mt19937 random(9);
  for (int trial = 0; trial < trials(200); ++trial) {
    const Problem problem = random_problem(random, {12, trial % 2 == 0 ? 12 : 6, 2, 16}, 0.5);
    const Result result = project_one(problem);
    const VectorXd bound = -0.5 * (problem.contacts * problem.u);
    const auto expected = reference::nearest_point(problem.u, {problem.constraints, VectorXd::Zero(2)},
                                                   {problem.contacts, bound}, rank_tolerance);
    ASSERT_TRUE(result.found) << trial;
    ASSERT_TRUE(expected.exists) << trial;
    EXPECT_LE((result.u - expected.u).norm(), 1e-11 * problem.u.norm()) << trial;
  }
}

/// The impact by the reference's algorithm.
Result strike_by_reference(const Problem& problem, ImpactOrder order, bool poisson) {
  const auto m = static_cast<std::size_t>(problem.m());
  const VectorXd offsets = problem.offsets.size() > 0 ? problem.offsets : VectorXd::Zero(problem.m());
  const reference::TouchingRows rows = {
      problem.constraints, VectorXd::Zero(problem.fixed()),
      problem.contacts,    offsets,
      problem.restitution, std::vector<ImpactLaw>(m, poisson ? ImpactLaw::poisson : ImpactLaw::newton)};
  Result result;
  result.u = problem.u;
  result.found = reference::strike(rows, order, rank_tolerance, result.u) == Status::ok;
  return result;
}

/// Impacts of both laws in both orders, of contacts at rest and in motion. Without motion of the contacts, no impact
/// gains energy.
TEST(Impact, AgreesWithTheReference) {
  std::mt19937 random(8);
  double worst = 0;
  int compared = 0;
  for (const Sizes& sizes : all_sizes) {
    const int count = sizes.m > 6 ? 24 : 120;
    for (int trial = 0; trial < trials(count); ++trial) {
      Problem problem = random_problem(random, sizes, 0.25 * (trial % 4));
      if (trial % 3 == 2) problem.offsets = problem.contacts * random_matrix(random, sizes.n, 1);
      for (const ImpactOrder order : {ImpactOrder::simultaneous, ImpactOrder::sequential}) {
        for (const bool poisson : {false, true}) {
          const Result result = strike_one(problem, order, poisson);
          const Result expected = strike_by_reference(problem, order, poisson);
          const std::string where = std::to_string(sizes.m) + ' ' + std::to_string(sizes.rank) + ' ' +
                                    std::to_string(trial) + ' ' + std::to_string(static_cast<int>(order)) +
                                    (poisson ? " poisson" : " newton");
          EXPECT_EQ(result.found, expected.found) << where;
          if (!result.found || !expected.found) continue;
          const double error = (result.u - expected.u).norm() / problem.u.norm();
          worst = std::max(worst, error);
          ++compared;
          EXPECT_LE(error, 1e-9) << where;
          if (problem.offsets.size() > 0) continue;
          for (const Result& each : {result, expected}) {
            EXPECT_LE(each.u.squaredNorm(), problem.u.squaredNorm() * (1 + 1e-12)) << where;
          }
        }
      }
    }
  }
  EXPECT_GE(compared, trials(2000));
  std::printf("worst difference of %d impacts from the reference %.1e\n", compared, worst);
}

TEST(Impact, VelocityDoesNotDependOnTheOrderOfContacts) {
  std::mt19937 random(3);
  for (const Sizes& sizes : all_sizes) {
    for (int trial = 0; trial < trials(100); ++trial) {
      const Problem problem = random_problem(random, sizes, 0.5);
      Problem renumbered = problem;
      std::vector<int> order(static_cast<std::size_t>(sizes.m));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      for (int r = 0; r < sizes.m; ++r) {
        renumbered.contacts.row(r) = problem.contacts.row(order[static_cast<std::size_t>(r)]);
      }
      EXPECT_LE((project_one(problem).u - project_one(renumbered).u).norm(), 1e-9 * problem.u.norm());
    }
  }
}

/// A lane has the bits that it has beside copies of itself.
TEST(Impact, LanesAreIndependent) {
  using P = Pack<double>;
  std::mt19937 random(4);
  for (const Sizes& sizes : all_sizes) {
    for (int trial = 0; trial < trials(12); ++trial) {
      std::vector<Problem> problems;
      for (int lane = 0; lane < P::lanes; ++lane) problems.push_back(random_problem(random, sizes, 0.25 * (lane % 4)));
      const auto order = trial % 2 == 0 ? ImpactOrder::simultaneous : ImpactOrder::sequential;
      const std::vector<Result> together = strike<P, JacobiSvd>(problems, order, trial % 3 == 0);
      const auto lane = random() % P::lanes;
      const std::vector<Problem> copies(P::lanes, problems[lane]);
      const Result alone = strike<P, JacobiSvd>(copies, order, trial % 3 == 0).front();
      EXPECT_EQ(together[lane].found, alone.found);
      ASSERT_EQ(
          0, std::memcmp(together[lane].u.data(), alone.u.data(), sizeof(double) * static_cast<std::size_t>(sizes.n)));
    }
  }
}

/// Poisson's law is a projection too: equal restitution gives no energy, and single contacts the velocity of Newton's.
TEST(Impact, PoissonsLawGainsNoEnergy) {
  std::mt19937 random(5);
  for (const Sizes& sizes : all_sizes) {
    for (int trial = 0; trial < trials(200); ++trial) {
      const Problem problem = random_problem(random, sizes, 0.25 * (trial % 5));
      const Result result = strike_one(problem, ImpactOrder::simultaneous, true);
      ASSERT_TRUE(result.found);
      EXPECT_LE(result.u.squaredNorm(), problem.u.squaredNorm() * (1 + 1e-12));
      EXPECT_GE((problem.contacts * result.u).minCoeff(), -1e-9 * problem.u.norm() * problem.contacts.norm());
      if (sizes.m > 1) continue;
      EXPECT_LE((result.u - strike_one(problem).u).norm(), 1e-12 * problem.u.norm());
    }
  }
}

/// Contacts that contradict each other: a point between two walls that both require it to move away.
TEST(Impact, ContradictionIsReported) {
  Problem problem;
  problem.constraints.resize(1, 2);
  problem.constraints << 1, 0;  // the wall requires a motion that the constraint forbids
  problem.contacts.resize(1, 2);
  problem.contacts << 1, 0;
  problem.u.resize(2);
  problem.u << -1, 0.5;  // violates the constraint
  problem.restitution = VectorXd::Constant(1, 0.5);
  EXPECT_FALSE(strike_one(problem).found);
  EXPECT_FALSE(strike_one(problem, ImpactOrder::sequential).found);
}

Problem cradle(int balls) {
  Problem problem;
  problem.constraints.resize(0, balls);
  problem.contacts = MatrixXd::Zero(balls - 1, balls);
  for (int i = 0; i + 1 < balls; ++i) {
    problem.contacts(i, i) = -1;
    problem.contacts(i, i + 1) = 1;
  }
  problem.u = VectorXd::Unit(balls, 0);
  problem.restitution = VectorXd::Ones(balls - 1);
  return problem;
}

TEST(Impact, NewtonsCradle) {
  for (const int balls : {3, 5}) {
    const Result sequential = strike_one(cradle(balls), ImpactOrder::sequential);
    ASSERT_TRUE(sequential.found);
    EXPECT_LE((sequential.u - VectorXd::Unit(balls, balls - 1)).norm(), 1e-14);
    // e = 1 reflects u at the subspace of equal velocities: u+ = 2 mean - u.
    const Result simultaneous = strike_one(cradle(balls));
    ASSERT_TRUE(simultaneous.found);
    VectorXd expected = VectorXd::Constant(balls, 2.0 / balls);
    expected[0] -= 1;
    EXPECT_LE((simultaneous.u - expected).norm(), 1e-14) << simultaneous.u.transpose();
  }
}

/// Contacts of a point between two walls that it approaches equally fast, up to rounding, act in their order.
TEST(Impact, EquallyFastContactsActInTheirOrder) {
  Problem problem;
  problem.constraints.resize(0, 2);
  problem.contacts.resize(2, 2);
  problem.contacts << std::sin(0.9), std::cos(0.9), -std::sin(0.9), std::cos(0.9);
  problem.restitution = VectorXd::Constant(2, 0.5);
  problem.u = Eigen::Vector2d(0, -1);
  const VectorXd expected = strike_by_reference(problem, ImpactOrder::sequential, false).u;
  EXPECT_GT(std::abs(expected[0]), 0.1);
  for (const double aside : {0.0, 1e-16, -1e-16, 1e-12, -1e-12}) {
    problem.u[0] = aside;
    EXPECT_LE((strike_by_reference(problem, ImpactOrder::sequential, false).u - expected).norm(), 1e-11) << aside;
    EXPECT_LE((strike_one(problem, ImpactOrder::sequential).u - expected).norm(), 1e-11) << aside;
  }
}

/// A block that rotates about one corner hits the floor with the other one and rocks on: the ratio of Housner.
TEST(Impact, RockingBlock) {
  for (const auto& [b, h] : {std::pair{0.1, 0.4}, std::pair{0.2, 0.5}, std::pair{0.3, 0.5}}) {
    const VectorXd root = Eigen::Vector3d(1, 1, std::sqrt((b * b + h * h) / 3));
    Problem problem;
    problem.constraints.resize(1, 3);
    problem.constraints << 1, 0, h;  // the new corner does not slip
    problem.contacts.resize(2, 3);
    problem.contacts << 0, 1, -b, 0, 1, b;
    const Eigen::Vector3d w(h, -b, -1);  // rotation with rate -1 about the corner (-b, -h)
    for (MatrixXd* rows : {&problem.constraints, &problem.contacts}) {
      for (int i = 0; i < 3; ++i) rows->col(i) /= root[i];
    }
    problem.u = root.cwiseProduct(w);
    problem.restitution = VectorXd::Zero(2);
    const Result result = strike_one(problem);
    ASSERT_TRUE(result.found);
    const double sine = std::sin(std::atan2(b, h));
    EXPECT_NEAR(result.u[2] / root[2] / w[2], 1 - 1.5 * sine * sine, 2e-15);
    EXPECT_EQ(result.multipliers[1], 0);  // the old corner lifts without an impulse
    EXPECT_GT(problem.contacts.row(0).dot(result.u), 0.05);
  }
}

/// A block that lands flat on three collinear contacts of rank 2.
TEST(Impact, ThreeCollinearContacts) {
  const double b = 0.3;
  const double h = 0.1;
  const VectorXd root = Eigen::Vector3d(1, 1, std::sqrt((b * b + h * h) / 3));
  Problem problem;
  problem.constraints.resize(0, 3);
  problem.contacts.resize(3, 3);
  problem.contacts << 0, 1, -b, 0, 1, 0, 0, 1, b;
  for (int i = 0; i < 3; ++i) problem.contacts.col(i) /= root[i];
  problem.u = root.cwiseProduct(Eigen::Vector3d(0.3, -1, 0.4));
  problem.restitution = VectorXd::Zero(3);
  const Result result = strike_one(problem);
  ASSERT_TRUE(result.found);
  EXPECT_LE(result.solves, 3);
  EXPECT_LE((result.u - root.cwiseProduct(Eigen::Vector3d(0.3, 0, 0))).norm(), 1e-15);
}

/// Units of rows do not matter: rows, and rows with the velocity, scaled by powers of two that do not round.
TEST(Impact, ScaledRowsGiveTheSameVelocity) {
  std::mt19937 random(6);
  for (const Sizes& sizes : all_sizes) {
    const Problem problem = random_problem(random, sizes, 0.5);
    const VectorXd expected = strike_one(problem).u;
    for (const double scale : {std::ldexp(1.0, -20), std::ldexp(1.0, 20)}) {
      Problem scaled = problem;
      scaled.contacts *= scale;
      EXPECT_LE((strike_one(scaled).u - expected).norm(), 1e-12 * problem.u.norm());
      scaled = problem;
      scaled.u *= scale;
      EXPECT_LE((strike_one(scaled).u / scale - expected).norm(), 1e-12 * problem.u.norm());
    }
  }
}

TEST(Impact, TeamsOfWorkersAgree) {
  std::mt19937 random(7);
  for (const Sizes& sizes : {Sizes{1, 1, 0, 3}, Sizes{2, 2, 2, 6}, Sizes{3, 2, 2, 6}}) {
    const Problem problem = random_problem(random, sizes, 0.5);
    const auto alone = std::make_unique<Impact<double, 5, 6, JacobiSvd>>();
    const auto together = std::make_unique<Impact<double, 5, 6, JacobiSvd>>();
    for (auto* impact : {alone.get(), together.get()}) {
      set_lane(*impact, problem, 1.0);
      set_kinds(*impact, problem, false);
    }
    const bool found = alone->apply(Solo{}, rank_tolerance, ImpactOrder::simultaneous, sizes.m, true);
    test::run_team<2>([&](const auto& team) {
      EXPECT_EQ(together->apply(team, rank_tolerance, ImpactOrder::simultaneous, sizes.m, true), found);
    });
    for (int i = 0; i < sizes.n; ++i) EXPECT_NEAR(together->u[i], alone->u[i], 1e-13);
  }
}

}  // namespace
}  // namespace kalaba
