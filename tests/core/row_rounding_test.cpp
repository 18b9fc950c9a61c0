// Rows at the rounding level of the other rows are dropped, in any units; short rows that are independent are kept.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kalaba/core/inverse/pseudo_inverses.hpp"
#include "kalaba/core/rate/constrained_rate.hpp"
#include "singular/linkage_in_space.hpp"

namespace kalaba {
namespace {

constexpr int M = 4;
constexpr int N = 5;

/// Two rows of size 1; a third of size `noise` in the same columns; and a fourth, the only one with the last
/// coordinate.
template <template <class, int, int> class Inverse>
struct Rows {
  InverseOfRows<double, DensePattern<M, N>, Inverse> inverse;
  double entry[M][N];

  Rows(double noise, double row_unit, double column_unit) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(0.3, 1);
    for (auto& row : entry) {
      for (double& each : row) each = number(random);
    }
    for (int j = 0; j < N; ++j) {
      entry[0][j] *= j % 2 == 0 ? row_unit : -row_unit;
      entry[2][j] *= noise * (j == 1 ? -1 : 1);
      entry[3][j] = j == 4 ? 1e-14 : 0;
      if (j == 4) entry[0][j] = entry[1][j] = entry[2][j] = 0;
      for (auto& row : entry) row[j] *= j == 2 ? column_unit : 1;
    }
    for (int r = 0; r < M; ++r) {
      for (int j = 0; j < N; ++j) inverse.rows.data[r * N + j] = entry[r][j];
    }
    inverse.factorize(Solo{}, RankRule<double>(1e-6), false);
  }
};

template <template <class, int, int> class Inverse>
void expect_rounding_does_not_count() {
  for (const double column_unit : {0.1, 1.0, 10.0}) {
    for (const double row_unit : {1e-3, 1.0, 1e3}) {
      for (const double noise : {1e-18, 1e-16, 3e-15}) {
        const double seen = noise * std::fmin(row_unit, 1);  // a row as long as the others are, in their unit
        Rows<Inverse> rows(seen, row_unit, column_unit);
        EXPECT_EQ(rows.inverse.rank(), 3) << noise << ' ' << row_unit << ' ' << column_unit;
        Vec<double, M> e = {row_unit * 2, -1, seen * 0.7, 3e-14};
        Vec<double, N> x;
        rows.inverse.min_norm(Solo{}, e, x);
        for (const int r : {0, 1, 3}) {
          double sum = 0;
          for (int j = 0; j < N; ++j) sum += rows.entry[r][j] * x[j];
          EXPECT_NEAR(sum / e[r], 1, 1e-12);
        }
        // b of such a row is rounding too: its residual is measured relative to the size of the other rows.
        EXPECT_LE(rows.inverse.squared_residual(e), 1e-24);
        Vec<double, M> lambda;
        rows.inverse.multipliers(Solo{}, e, lambda);
        EXPECT_EQ(lambda[2], 0);
      }
      for (const double small : {1e-11, 1e-6, 1.0}) {
        EXPECT_EQ(Rows<Inverse>(small * std::fmax(row_unit, 1), row_unit, column_unit).inverse.rank(), 4) << small;
      }
    }
  }
}

TEST(RowsOfRounding, DoNotCountInTheSvd) { expect_rounding_does_not_count<JacobiSvd>(); }
TEST(RowsOfRounding, DoNotCountInTheQr) { expect_rounding_does_not_count<PivotedQr>(); }
TEST(RowsOfRounding, DoNotCountInTheDirectMethod) { expect_rounding_does_not_count<SparseLdlt>(); }

template <class Linkage, template <class, int, int> class Inverse>
void expect_tilt_changes_nothing() {
  SCOPED_TRACE(Linkage::name);
  const auto rate_at = [](double tilt, double& rank) {
    ConstrainedRate<Linkage, double, Inverse> rate;
    Vec<double, 1> p = {tilt};
    Vec<double, 4> q;
    Vec<double, 4> w;
    Linkage::start(p, q, w);
    const Method method;
    const double code = rate.evaluate(Solo{}, method, RankRule<double>::at_step(method, -1), p, 0.0, q, w, false, true);
    EXPECT_EQ(code, 0);
    rank = rate.inverse.rank();
    return rate.dot.w;
  };
  double rank = 0;
  const auto plane = rate_at(0, rank);
  EXPECT_EQ(rank, 2);
  for (const double tilt : {1e-17, 1e-16, 1e-15, 1e-14}) {
    const auto tilted = rate_at(tilt, rank);
    EXPECT_EQ(rank, 2) << tilt;
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(tilted[i], plane[i], 1e-12) << tilt;
  }
}

template <template <class, int, int> class Inverse>
void expect_tilts_change_nothing() {
  expect_tilt_changes_nothing<test::LinkageInSpace<Formulation::lagrange>, Inverse>();
  expect_tilt_changes_nothing<test::LinkageInSpace<Formulation::hamilton>, Inverse>();
  expect_tilt_changes_nothing<test::LinkageInSpace<Formulation::kane>, Inverse>();
  expect_tilt_changes_nothing<test::ActuatedLinkageInSpace, Inverse>();
}

TEST(ALinkageInSpace, MovesByTheSvdAsInThePlane) { expect_tilts_change_nothing<JacobiSvd>(); }
TEST(ALinkageInSpace, MovesByTheQrAsInThePlane) { expect_tilts_change_nothing<PivotedQr>(); }
TEST(ALinkageInSpace, MovesByTheDirectMethodAsInThePlane) { expect_tilts_change_nothing<SparseLdlt>(); }

}  // namespace
}  // namespace kalaba
