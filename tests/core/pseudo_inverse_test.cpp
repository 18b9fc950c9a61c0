// The pseudo-inverses in LAPACK's manner: matrices with prescribed spectra, the four Penrose conditions in units of
// epsilon max(m, n) kappa, outputs poisoned first.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <bit>
#include <limits>
#include <random>
#include <string>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/jacobi_svd.hpp"
#include "kalaba/core/pivoted_qr.hpp"
#include "kalaba/core/sparse_ldlt.hpp"

namespace kalaba {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double threshold = 50;
constexpr double rank_tolerance = 1e-9;
const double nan = std::numeric_limits<double>::quiet_NaN();

Eigen::MatrixXd random_orthogonal(int size, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd matrix(size, size);
  for (auto& entry : matrix.reshaped()) entry = normal(random);
  return Eigen::HouseholderQR<Eigen::MatrixXd>(matrix).householderQ();
}

Eigen::MatrixXd with_spectrum(int m, int n, const Eigen::VectorXd& sigma, std::mt19937& random) {
  Eigen::MatrixXd middle = Eigen::MatrixXd::Zero(m, n);
  middle.diagonal() = sigma;
  return random_orthogonal(m, random) * middle * random_orthogonal(n, random).transpose();
}

/// A kind of spectrum of `count` singular values; its rank is how many are not zero.
Eigen::VectorXd spectrum(const std::string& kind, int count) {
  Eigen::VectorXd sigma = Eigen::VectorXd::Ones(count);
  for (int i = 0; i < count; ++i) {
    const double place = count > 1 ? static_cast<double>(i) / (count - 1) : 0;
    if (kind == "graded") sigma[i] = std::pow(10.0, -5 * place);
    if (kind == "clustered") sigma[i] = i == 0 ? 1 : 1e-3 * (1 + 1e-9 * i);
    if (kind == "equal") sigma[i] = 3;
    if (kind == "deficient") sigma[i] = i < (count + 1) / 2 ? 1 + place : 0;
    if (kind == "zero") sigma[i] = 0;
    if (kind == "tiny") sigma[i] = 1e-290 * (1 + place);
    if (kind == "huge") sigma[i] = 1e290 * (1 + place);
  }
  return sigma;
}

template <class Inverse, class Matrix>
void set_rows(Inverse& inverse, const Matrix& b) {
  for (int i = 0; i < b.rows(); ++i) {
    for (int j = 0; j < b.cols(); ++j) inverse.rows(i, j) = b(i, j);
  }
}

/// A factorized matrix whose storage held NaN before.
template <template <class, int, int> class Inverse, int M, int N>
Inverse<double, M, N> factorized(const Eigen::MatrixXd& b) {
  Inverse<double, M, N> inverse;
  auto* bytes = reinterpret_cast<double*>(&inverse);
  for (std::size_t i = 0; i < sizeof(inverse) / sizeof(double); ++i) bytes[i] = nan;
  set_rows(inverse, b);
  EXPECT_TRUE(inverse.factorize(Solo{}, rank_tolerance, false));
  return inverse;
}

template <template <class, int, int> class Inverse, int M, int N>
Eigen::MatrixXd pseudo_inverse(Inverse<double, M, N>& inverse) {
  Eigen::MatrixXd result(N, M);
  for (int j = 0; j < M; ++j) {
    Vec<double, M> e{};
    e[j] = 1;
    Vec<double, N> x;
    for (int i = 0; i < N; ++i) x[i] = nan;
    inverse.min_norm(Solo{}, e, x);
    for (int i = 0; i < N; ++i) result(i, j) = x[i];
  }
  return result;
}

/// |error| / (|scale| epsilon max(m, n) kappa), which must stay below the threshold; 0/0 is 0.
void expect_small(const Eigen::MatrixXd& error, double scale, double kappa, const std::string& what) {
  const double size = error.cwiseAbs().maxCoeff();
  const double unit = scale * epsilon * static_cast<double>(std::max(error.rows(), error.cols())) * kappa;
  EXPECT_LE(size, threshold * unit) << what << ": " << size / unit;
}

template <template <class, int, int> class Inverse, int M, int N>
void check_penrose(const std::string& kind, unsigned seed) {
  std::mt19937 random(seed);
  const Eigen::VectorXd sigma = spectrum(kind, std::min(M, N));
  const Eigen::MatrixXd w = with_spectrum(M, N, sigma, random);
  auto inverse = factorized<Inverse, M, N>(w);
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
  expect_small(b * x * b - b, 1, kappa, kind + " BXB = B");
  expect_small(x * b * x - x, kappa, kappa, kind + " XBX = X");
  expect_small((b * x).transpose() - b * x, 1, kappa, kind + " BX symmetric");
  expect_small((x * b).transpose() - x * b, 1, kappa, kind + " XB symmetric");
}

template <template <class, int, int> class Inverse, int M, int N>
void check_applications(const std::string& kind, unsigned seed) {
  std::mt19937 random(seed);
  const Eigen::VectorXd sigma = spectrum(kind, std::min(M, N));
  const Eigen::MatrixXd b = with_spectrum(M, N, sigma, random);
  auto inverse = factorized<Inverse, M, N>(b);
  const Eigen::MatrixXd x = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(b).pseudoInverse();
  Vec<double, M> e;
  Eigen::VectorXd e_eigen(M);
  for (int i = 0; i < M; ++i) e_eigen[i] = e[i] = std::cos(1.0 + i);
  const auto rank = (sigma.array() > 0).count();
  const double kappa = rank == 0 ? 1 : sigma[0] / sigma[rank - 1];

  Vec<double, M> lambda;
  for (int i = 0; i < M; ++i) lambda[i] = nan;
  inverse.multipliers(Solo{}, e, lambda);
  const Eigen::VectorXd expected = x.transpose() * (x * e_eigen);  // (B B^T)+ = B+^T B+
  expect_small(Eigen::Map<Eigen::VectorXd>(lambda.data, M) - expected, kappa * kappa, kappa, kind + " multipliers");
  EXPECT_NEAR(inverse.squared_residual(e), (e_eigen - b * (x * e_eigen)).squaredNorm(), 1e-9) << kind;

  Vec<double, N> part;
  Eigen::VectorXd vector(N);
  for (int i = 0; i < N; ++i) vector[i] = part[i] = std::sin(2.0 + i);

  // What B reaches, as consistent constraints ask for it.
  auto fresh = factorized<Inverse, M, N>(b);
  const Eigen::VectorXd reached = b * vector;
  for (int i = 0; i < M; ++i) e[i] = reached[i];
  Vec<double, N> least;
  fresh.min_norm(Solo{}, e, least);
  expect_small(Eigen::Map<Eigen::VectorXd>(least.data, N) - x * reached, 1, kappa, kind + " least solution");

  inverse.project(Solo{}, part);
  expect_small(Eigen::Map<Eigen::VectorXd>(part.data, N) - x * (b * vector), 1, kappa, kind + " projection");
}

template <template <class, int, int> class Inverse, int M, int N>
void check_shape() {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (const char* kind : {"graded", "clustered", "equal", "deficient", "zero", "tiny", "huge"}) {
      SCOPED_TRACE(std::to_string(M) + "x" + std::to_string(N) + " seed " + std::to_string(seed));
      check_penrose<Inverse, M, N>(kind, seed);
    }
    for (const char* kind : {"graded", "equal", "deficient"}) check_applications<Inverse, M, N>(kind, seed);
  }
}

template <template <class, int, int> class Inverse>
void check_shapes() {
  check_shape<Inverse, 1, 1>();
  check_shape<Inverse, 1, 5>();
  check_shape<Inverse, 4, 1>();
  check_shape<Inverse, 2, 2>();
  check_shape<Inverse, 3, 4>();
  check_shape<Inverse, 6, 3>();
  check_shape<Inverse, 9, 12>();
  check_shape<Inverse, 12, 12>();
}

TEST(JacobiSvdTest, PenroseConditions) { check_shapes<JacobiSvd>(); }
TEST(PivotedQrTest, PenroseConditions) { check_shapes<PivotedQr>(); }
TEST(SparseLdltTest, PenroseConditions) { check_shapes<SparseLdlt>(); }

/// From one matrix to a nearby one, as from step to step. Beyond three rows a warm start leaves the rows orthogonal to
/// `nearly` alone, and what is solved with them is refined.
template <int M, int N>
void check_warm_start(const char* kind, double change) {
  SCOPED_TRACE(std::to_string(M) + "x" + std::to_string(N) + " " + kind);
  std::mt19937 random(7);
  const Eigen::MatrixXd first = with_spectrum(M, N, spectrum(kind, std::min(M, N)), random);
  auto warm = factorized<JacobiSvd, M, N>(first);
  EXPECT_FALSE(warm.inexact);
  const Eigen::MatrixXd next = first + change * with_spectrum(M, N, spectrum("equal", std::min(M, N)), random);
  set_rows(warm, next);
  EXPECT_TRUE(warm.factorize(Solo{}, rank_tolerance, true));
  EXPECT_EQ(warm.inexact, M > 3);
  auto cold = factorized<JacobiSvd, M, N>(next);
  EXPECT_EQ(warm.rank(), cold.rank());
  const Eigen::MatrixXd difference = pseudo_inverse(warm) - pseudo_inverse(cold);
  expect_small(difference, 1e5, 1e5, "warm against cold");
}

TEST(JacobiSvdTest, WarmStartGivesTheColdAnswer) {
  for (const double change : {1e-9, 1e-3}) {
    for (const char* kind : {"graded", "equal"}) {
      check_warm_start<3, 4>(kind, change);
      check_warm_start<4, 6>(kind, change);
      check_warm_start<6, 9>(kind, change);
      check_warm_start<9, 12>(kind, change);
      check_warm_start<12, 12>(kind, change);
    }
  }
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

/// B+ e for one matrix a lane; lane `odd_lane` holds `odd` instead of what its place would.
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
