// Pseudo-inverses, tested as in LAPACK: matrices with prescribed spectra, the four Penrose conditions in units of
// epsilon max(m, n) kappa, outputs initialized with poison values.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "core/any_inverse.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "kalaba/core/inverse/sparse_ldlt.hpp"
#include "support/spectra.hpp"

namespace kalaba {
namespace {

using test::AnyInverse;
using test::spectrum;
using test::with_spectrum;

constexpr test::SpectrumRange range = test::spectrum_range<double>;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double threshold = 10;
/// The direct method squares kappa and performs one refinement, which the combinations of dependent rows do not have.
constexpr double threshold_of_ldlt = 200;
constexpr double rank_tolerance = 1e-9;
const double nan = std::numeric_limits<double>::quiet_NaN();

Eigen::MatrixXd pseudo_inverse(AnyInverse& inverse) {
  const int m = inverse.rows();
  Eigen::MatrixXd result(inverse.columns(), m);
  for (int j = 0; j < m; ++j) result.col(j) = inverse.min_norm(Eigen::VectorXd::Unit(m, j));
  return result;
}

/// |error| / (|scale| epsilon max(m, n) kappa) must be below a limit; 0/0 is 0.
void expect_small(const Eigen::MatrixXd& error, double scale, double kappa, double limit, const std::string& what) {
  const double size = error.cwiseAbs().maxCoeff();
  const double unit = scale * epsilon * static_cast<double>(std::max(error.rows(), error.cols())) * kappa;
  EXPECT_LE(size, limit * unit) << what << ": " << size / unit;
}

void check_penrose(AnyInverse& inverse, double limit, const std::string& kind, unsigned seed) {
  std::mt19937 random(seed);
  const Eigen::VectorXd sigma = spectrum(kind, std::min(inverse.rows(), inverse.columns()), range);
  const Eigen::MatrixXd w = with_spectrum(inverse.rows(), inverse.columns(), sigma, random);
  EXPECT_TRUE(inverse.factorize(w, rank_tolerance, false));
  const double largest = sigma.maxCoeff();
  if (largest == 0) {
    EXPECT_EQ(pseudo_inverse(inverse).cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(inverse.rank(), 0);
    return;
  }
  // In units of the largest singular value, so that products stay in range for tiny and huge matrices.
  const Eigen::MatrixXd b = w / largest;
  const Eigen::MatrixXd x = pseudo_inverse(inverse) * largest;
  const auto rank = (sigma.array() > 0).count();
  const double kappa = largest / sigma[rank - 1];
  EXPECT_EQ(inverse.rank(), static_cast<double>(rank)) << kind;
  expect_small(b * x * b - b, 1, kappa, limit, kind + " BXB = B");
  expect_small(x * b * x - x, kappa, kappa, limit, kind + " XBX = X");
  expect_small((b * x).transpose() - b * x, 1, kappa, limit, kind + " BX symmetric");
  expect_small((x * b).transpose() - x * b, 1, kappa, limit, kind + " XB symmetric");
}

/// The values at 0, 1, ... count - 1.
template <class Function>
Eigen::VectorXd values_of(int count, Function function) {
  return Eigen::VectorXd::NullaryExpr(count, [&](Eigen::Index i) { return function(static_cast<double>(i)); });
}

void check_applications(AnyInverse& inverse, double limit, const std::string& kind, unsigned seed) {
  std::mt19937 random(seed);
  const Eigen::VectorXd sigma = spectrum(kind, std::min(inverse.rows(), inverse.columns()), range);
  const Eigen::MatrixXd b = with_spectrum(inverse.rows(), inverse.columns(), sigma, random);
  EXPECT_TRUE(inverse.factorize(b, rank_tolerance, false));
  const Eigen::VectorXd e = values_of(inverse.rows(), [](double i) { return std::cos(1.0 + i); });
  const auto rank = (sigma.array() > 0).count();
  const double kappa = rank == 0 ? 1 : sigma[0] / sigma[rank - 1];

  const test::TruncatedSvd exact(b, static_cast<int>(rank));
  const auto expect_near = [&](const Eigen::VectorXd& found, const test::LongVector& expected, double scale,
                               const char* what) {
    expect_small(found - expected.cast<double>(), scale, kappa, limit, kind + what);
  };
  expect_near(inverse.multipliers(e), exact.multipliers(e), kappa * kappa, " multipliers");
  const Eigen::VectorXd x = exact.min_norm(e).cast<double>();
  EXPECT_NEAR(inverse.squared_residual(e), (e - b * x).squaredNorm(), 1e-9) << kind;

  // Right-hand sides in the range of B, as for consistent constraints.
  EXPECT_TRUE(inverse.factorize(b, rank_tolerance, false));
  const Eigen::VectorXd part = values_of(inverse.columns(), [](double i) { return std::sin(2.0 + i); });
  const Eigen::VectorXd reached = b * part;
  expect_near(inverse.min_norm(reached), exact.min_norm(reached), 1, " least solution");
  expect_near(inverse.project(part), exact.project(part), 1, " projection");
}

/// Uses a new inverse each time, whose storage contained NaN.
template <template <class, int, int> class Inverse, int M, int N>
void check_shape(double limit) {
  const auto fresh = [] { return std::make_unique<test::InverseOf<Inverse, M, N>>(); };
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const std::string& kind : test::spectrum_kinds) {
      SCOPED_TRACE(std::to_string(M) + "x" + std::to_string(N) + " seed " + std::to_string(seed));
      check_penrose(*fresh(), limit, kind, seed);
    }
    for (const char* kind : {"graded", "equal", "deficient"}) check_applications(*fresh(), limit, kind, seed);
  }
}

template <template <class, int, int> class Inverse>
void check_shapes(double limit) {
  check_shape<Inverse, 1, 1>(limit);
  check_shape<Inverse, 1, 5>(limit);
  check_shape<Inverse, 4, 1>(limit);
  check_shape<Inverse, 2, 2>(limit);
  check_shape<Inverse, 3, 4>(limit);
  check_shape<Inverse, 6, 3>(limit);
  check_shape<Inverse, 9, 12>(limit);
  check_shape<Inverse, 12, 12>(limit);
}

TEST(JacobiSvdTest, PenroseConditions) { check_shapes<JacobiSvd>(threshold); }
TEST(PivotedQrTest, PenroseConditions) { check_shapes<PivotedQr>(threshold); }
TEST(SparseLdltTest, PenroseConditions) { check_shapes<SparseLdlt>(threshold_of_ldlt); }

/// Warm start from one matrix to a nearby one, as from step to step. For more than three rows it leaves the rows
/// orthogonal only to `nearly`, and solutions are refined.
void check_warm_start(AnyInverse& warm, AnyInverse& cold, const char* kind, double change) {
  const int m = warm.rows();
  const int n = warm.columns();
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " " + kind);
  std::mt19937 random(7);
  const Eigen::MatrixXd first = with_spectrum(m, n, spectrum(kind, std::min(m, n), range), random);
  EXPECT_TRUE(warm.factorize(first, rank_tolerance, false));
  EXPECT_FALSE(warm.is_inexact());
  const Eigen::MatrixXd next = first + change * with_spectrum(m, n, spectrum("equal", std::min(m, n), range), random);
  EXPECT_TRUE(warm.factorize(next, rank_tolerance, true));
  EXPECT_EQ(warm.is_inexact(), m > 3);
  EXPECT_TRUE(cold.factorize(next, rank_tolerance, false));
  EXPECT_EQ(warm.rank(), cold.rank());
  const Eigen::MatrixXd difference = pseudo_inverse(warm) - pseudo_inverse(cold);
  expect_small(difference, 1e5, 1e5, threshold, "warm against cold");
  const Eigen::VectorXd e = values_of(m, [](double i) { return std::cos(1.0 + i); });
  const Eigen::VectorXd multipliers = cold.multipliers(e);
  expect_small(warm.multipliers(e) - multipliers, multipliers.norm(), 1e5, threshold, "multipliers");
}

template <int M, int N>
void check_warm_starts() {
  for (const double change : {1e-9, 1e-3}) {
    for (const char* kind : {"graded", "equal"}) {
      test::InverseOf<JacobiSvd, M, N> warm;
      test::InverseOf<JacobiSvd, M, N> cold;
      check_warm_start(warm, cold, kind, change);
    }
  }
}

TEST(JacobiSvdTest, WarmStartGivesTheColdAnswer) {
  check_warm_starts<3, 4>();
  check_warm_starts<4, 6>();
  check_warm_starts<6, 9>();
  check_warm_starts<9, 12>();
  check_warm_starts<12, 12>();
}

TEST(JacobiSvdTest, NanEndsWithRankZero) {
  JacobiSvd<double, 2, 2> inverse;
  inverse.rows = {{nan, 1, 1, nan}};
  inverse.factorize(Solo{}, rank_tolerance, false);
  EXPECT_EQ(inverse.rank(), 0);
}

using Lanes = Pack<double>;

std::vector<std::uint64_t> lane_bits(const Vec<Lanes, 4>& x, int lane) {
  std::vector<std::uint64_t> bits;
  for (int i = 0; i < 4; ++i) {
    double values[Lanes::lanes];
    x[i].store(values);
    bits.push_back(std::bit_cast<std::uint64_t>(values[lane]));
  }
  return bits;
}

/// B+ e for one matrix per lane; lane `odd_lane` holds the matrix `odd`.
template <template <class, int, int> class Inverse>
Vec<Lanes, 4> lanes_solution(int odd_lane, double odd) {
  Inverse<Lanes, 3, 4> inverse;
  for (int entry = 0; entry < 12; ++entry) {
    double values[Lanes::lanes];
    for (int lane = 0; lane < Lanes::lanes; ++lane) {
      values[lane] = lane == odd_lane ? odd : std::sin(1.0 + entry * (lane % 3 + 1));
      if (lane % 3 == 2 && entry >= 8) values[lane] = 2 * values[lane];  // no two neighbours alike
      if (lane % 3 == 1 && entry >= 4 && entry < 8) values[lane] = 0;    // rank 2
    }
    inverse.rows.data[entry] = Lanes::load(values);
  }
  inverse.factorize(Solo{}, Lanes(1e-6), false);
  Vec<Lanes, 4> x;
  inverse.min_norm(Solo{}, Vec<Lanes, 3>{Lanes(1.0), Lanes(-2.0), Lanes(0.5)}, x);
  return x;
}

template <template <class, int, int> class Inverse>
void check_lanes() {
  const auto calm = lanes_solution<Inverse>(-1, 0);
  for (const double odd : {nan, std::numeric_limits<double>::infinity(), 0.0, 1e300, 1e-300, 1.0}) {
    for (int odd_lane = 0; odd_lane < Lanes::lanes; ++odd_lane) {
      const auto disturbed = lanes_solution<Inverse>(odd_lane, odd);
      for (int lane = 0; lane < Lanes::lanes; ++lane) {
        if (lane == odd_lane) continue;
        EXPECT_EQ(lane_bits(disturbed, lane), lane_bits(calm, lane)) << odd << " in lane " << odd_lane;
      }
    }
  }
}

TEST(JacobiSvdTest, ALaneNeverDisturbsItsNeighbours) { check_lanes<JacobiSvd>(); }
TEST(PivotedQrTest, ALaneNeverDisturbsItsNeighbours) { check_lanes<PivotedQr>(); }
TEST(SparseLdltTest, ALaneNeverDisturbsItsNeighbours) { check_lanes<SparseLdlt>(); }

}  // namespace
}  // namespace kalaba
