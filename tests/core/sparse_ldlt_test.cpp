// Direct method on rows with known zeros, compared with the SVD.

#include "kalaba/core/inverse/inverse_of_rows.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <random>

#include "core/random_pattern.hpp"
#include "kalaba/backend/pack.hpp"

namespace kalaba {
namespace {

template <class X, class Pattern>
using Direct = InverseOfRows<X, Pattern, SparseLdlt>;
template <class X, class Pattern>
using BySvd = UnitRows<X, Pattern::rows, Pattern::cols, JacobiSvd>;

const RankRule<double> rule(1e-6);

template <int N>
double distance(const Vec<double, N>& a, const Vec<double, N>& b) {
  double sum = 0;
  double size = 0;
  for (int i = 0; i < N; ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(sum / (1 + size));
}

/// Both methods on the same random rows, whose lengths differ by powers of `row_units`.
template <class Pattern>
void expect_as_the_svd(double row_units) {
  constexpr int m = Pattern::rows;
  constexpr int n = Pattern::cols;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  int served = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const auto direct = std::make_unique<Direct<double, Pattern>>();
    const auto svd = std::make_unique<BySvd<double, Pattern>>();
    for (int r = 0; r < m; ++r) {
      const double unit = std::pow(row_units, normal(random));
      for_entries<Pattern>(r, [&](int k, int) { direct->rows.data[k] = unit * normal(random); });
      spread_row<Pattern>(direct->rows, r, &svd->rows(r, 0));
    }
    EXPECT_TRUE(direct->factorize(Solo{}, rule, false));
    EXPECT_TRUE(svd->factorize(Solo{}, rule, false));
    served += direct->served ? 1 : 0;
    EXPECT_EQ(direct->rank(), svd->rank());
    EXPECT_EQ(direct->served, direct->serves_all);
    const double least = svd->smallest_kept();
    if (direct->served) {
      const double own = direct->rank() < m ? direct->smallest_kept() : least;  // of the rows that are not left out
      EXPECT_LE(own, least * (1 + 1e-9));
      EXPECT_NEAR(direct->smallest_kept(), own, 0.02 * own);
      EXPECT_LE(direct->least_value(1), own * (1 + 1e-9));
      EXPECT_GE(direct->least_value(1), own / std::sqrt(m) * (1 - 1e-9));
    }
    Vec<double, m> e;
    Vec<double, n> x;
    for (int i = 0; i < n; ++i) x[i] = normal(random);
    for (int r = 0; r < m; ++r) {
      e[r] = 0;
      for_entries<Pattern>(r, [&](int k, int j) { e[r] += direct->rows.data[k] * x[j]; });
    }
    const double allowed = 1e-13 / (least * least);
    Vec<double, n> found;
    Vec<double, n> expected;
    direct->min_norm(Solo{}, e, found);
    svd->min_norm(Solo{}, e, expected);
    EXPECT_LE(distance(found, expected), allowed);
    found = x;
    direct->project(Solo{}, found);
    EXPECT_LE(distance(found, expected), allowed) << "x projected is the least solution of B x";
    Vec<double, m> lambda;
    Vec<double, m> least_lambda;
    direct->multipliers(Solo{}, e, lambda);
    svd->multipliers(Solo{}, e, least_lambda);
    EXPECT_LE(distance(lambda, least_lambda), allowed / least);
    EXPECT_NEAR(direct->squared_residual(e), 0, 1e-20 * row_units);
  }
  EXPECT_GE(served, m < n ? 15 : 0);
}

TEST(SparseLdlt, AnswersAsTheSvdWhateverThePattern) {
  expect_as_the_svd<RandomPattern<1, 4, 9, 2>>(1);
  expect_as_the_svd<RandomPattern<2, 6, 12, 4>>(1);
  expect_as_the_svd<RandomPattern<3, 9, 20, 3>>(1);
  expect_as_the_svd<RandomPattern<4, 12, 40, 4>>(1);
  expect_as_the_svd<RandomPattern<5, 20, 50, 3>>(1);
  expect_as_the_svd<DensePattern<5, 11>>(1);
  expect_as_the_svd<DensePattern<10, 30>>(1);
}

TEST(SparseLdlt, UnitsOfRowsDoNotMatter) {
  expect_as_the_svd<RandomPattern<3, 9, 20, 3>>(1e3);
  expect_as_the_svd<DensePattern<5, 11>>(1e3);
}

TEST(SparseLdlt, MoreRowsThanColumns) { expect_as_the_svd<DensePattern<6, 4>>(1); }

/// Rows of `Exact`, in a pattern whose extents are upper bounds.
template <class Exact>
struct BoundedPattern : Exact {
  static constexpr bool dense = false;
  static constexpr int rows = Exact::rows + 2;
  static constexpr int cols = Exact::cols + 3;
  static constexpr int count = rows * cols;
  static constexpr int envelope = rows * (rows - 1) / 2;
  static int row_count() { return Exact::rows; }
  static int begin(int r) { return Exact::begin(r < Exact::rows ? r : Exact::rows); }
};

/// All results of the inverse for random vectors of M and N entries, padded with zeros.
template <class Inverse, int M, int N>
std::vector<double> answers(Inverse& inverse, std::mt19937 random) {
  std::normal_distribution<double> normal;
  Vec<double, Inverse::m> e = {};
  Vec<double, Inverse::m> lambda;
  Vec<double, Inverse::n> x;
  Vec<double, Inverse::n> projected = {};
  for (int r = 0; r < M; ++r) e[r] = normal(random);
  for (int i = 0; i < N; ++i) projected[i] = normal(random);
  EXPECT_TRUE(inverse.factorize(Solo{}, rule, false));
  inverse.min_norm(Solo{}, e, x);
  inverse.project(Solo{}, projected);
  inverse.multipliers(Solo{}, e, lambda);
  std::vector<double> all = {inverse.rank(), inverse.smallest_kept(), inverse.least_value(1)};
  all.insert(all.end(), x.data, x.data + N);
  all.insert(all.end(), projected.data, projected.data + N);
  all.insert(all.end(), lambda.data, lambda.data + M);
  for (int i = N; i < Inverse::n; ++i) EXPECT_EQ(x[i], 0);
  for (int r = M; r < Inverse::m; ++r) EXPECT_EQ(lambda[r], 0);
  return all;
}

template <class Pattern>
void expect_the_bits_of_bounds(double apart) {
  constexpr int m = Pattern::rows;
  constexpr int n = Pattern::cols;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Direct<double, Pattern> exact;
  Direct<double, BoundedPattern<Pattern>> bounded;
  for (int k = 0; k < Pattern::count; ++k) exact.rows.data[k] = normal(random);
  for (int k = Pattern::begin(1); k < Pattern::begin(2); ++k) exact.rows.data[k] *= apart;
  for (int k = 0; k < Pattern::count; ++k) bounded.rows.data[k] = exact.rows.data[k];
  const auto found = answers<decltype(bounded), m, n>(bounded, random);
  const auto expected = answers<decltype(exact), m, n>(exact, random);
  EXPECT_EQ(bounded.served, exact.served);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (exact.served) {
      EXPECT_EQ(found[i], expected[i]) << i;
    }
    EXPECT_NEAR(found[i], expected[i], 1e-12 * (1 + std::abs(expected[i]))) << i;
  }
}

TEST(SparseLdlt, OfAPatternWithinBoundsHasTheBitsOfItsRows) {
  for (const double apart : {1.0, 0.0}) {  // a row of zeros is for the SVD
    expect_the_bits_of_bounds<RandomPattern<1, 4, 9, 2>>(apart);
    expect_the_bits_of_bounds<RandomPattern<3, 9, 20, 3>>(apart);
    expect_the_bits_of_bounds<DensePattern<5, 11>>(apart);
  }
}

/// The second row equals the first plus `apart` times another direction.
template <class X>
void set_rows(Direct<X, DensePattern<3, 5>>& direct, const X& apart) {
  for (int j = 0; j < 5; ++j) {
    direct.rows(0, j) = X(std::sin(1.0 + j));
    direct.rows(1, j) = X(std::sin(1.0 + j)) + apart * X(std::cos(3.0 * j));
    direct.rows(2, j) = X(std::sin(2.0 * j));
  }
}

TEST(SparseLdlt, RowsThatAreNotClearlyIndependentAreLeftToTheSvd) {
  for (const double apart : {0.0, 1e-12, 1e-8, 1e-5, 1e-3, 1.0}) {
    Direct<double, DensePattern<3, 5>> direct;
    set_rows(direct, apart);
    BySvd<double, DensePattern<3, 5>> svd;
    for (int i = 0; i < 15; ++i) svd.rows.data[i] = direct.rows.data[i];
    EXPECT_TRUE(direct.factorize(Solo{}, rule, false));
    EXPECT_TRUE(svd.factorize(Solo{}, rule, false));
    EXPECT_EQ(direct.served, apart > 1e-4 || apart < 1e-9) << apart;
    EXPECT_EQ(direct.rank(), svd.rank()) << apart;
    const Vec<double, 3> e = {1, apart < 1e-6 ? 1.0 : 1.1, -2};
    Vec<double, 5> found;
    Vec<double, 5> expected;
    direct.min_norm(Solo{}, e, found);
    svd.min_norm(Solo{}, e, expected);
    EXPECT_LE(distance(found, expected), 1e-11) << apart;
  }
  // A row dropped at the beginning of a step stays dropped in its stages.
  Direct<double, DensePattern<3, 5>> direct;
  set_rows(direct, 1.0);
  EXPECT_TRUE(direct.factorize(Solo{}, RankRule<double>::within_step({}, 2.0), false));
  EXPECT_FALSE(direct.served);
  EXPECT_EQ(direct.rank(), 2);
}

/// Rows of which the last `Copies` are combinations of the others, and one is zero.
template <class Pattern, int Copies, class Rows>
void set_dependent_rows(std::mt19937& random, double row_units, double tilt, Rows& rows) {
  constexpr int m = Pattern::rows;
  constexpr int n = Pattern::cols;
  std::normal_distribution<double> normal;
  for (int r = 0; r < m; ++r) {
    for (int j = 0; j < n; ++j) rows(r, j) = r == 1 ? 0 : (r < m - Copies ? 1 : tilt) * normal(random);
    for (int other = 0; r >= m - Copies && other < m - Copies; ++other) {
      const double by = normal(random);
      for (int j = 0; j < n; ++j) rows(r, j) += by * rows(other, j);
    }
  }
  for (int r = 0; r < m; ++r) {
    const double unit = std::pow(row_units, normal(random));
    for (int j = 0; j < n; ++j) rows(r, j) *= unit;
  }
}

TEST(SparseLdlt, RowsThatDependOnOthersAreLeftOut) {
  using Pattern = DensePattern<8, 12>;
  constexpr int rank = 4;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const double row_units : {1.0, 1e3}) {
    for (const double tilt : {0.0, 1e-16, 1e-13, 1e-7}) {
      int served = 0;
      for (int trial = 0; trial < 40; ++trial) {
        Direct<double, Pattern> direct;
        BySvd<double, Pattern> svd;
        set_dependent_rows<Pattern, 3>(random, row_units, tilt, direct.rows);
        for (int i = 0; i < 96; ++i) svd.rows.data[i] = direct.rows.data[i];
        const Mat<double, 8, 12> rows = direct.rows;
        // A step that began with this rank keeps it, whatever the rows are.
        const auto own = tilt < 1e-9 ? RankRule<double>::at_step({}, -1.0) : RankRule<double>::within_step({}, rank);
        EXPECT_TRUE(direct.factorize(Solo{}, own, false));
        EXPECT_TRUE(svd.factorize(Solo{}, own, false));
        served += direct.served ? 1 : 0;
        EXPECT_EQ(direct.rank(), rank);
        EXPECT_EQ(svd.rank(), rank);
        EXPECT_FALSE(direct.reaches_all());
        const double least = svd.smallest_kept();
        Vec<double, 12> x;
        for (int j = 0; j < 12; ++j) x[j] = normal(random);
        Vec<double, 8> e;
        for (int r = 0; r < 8; ++r) {
          e[r] = 0;
          for (int j = 0; j < 12; ++j) e[r] += rows(r, j) * x[j];
        }
        const double allowed = (1e-13 + 100 * tilt) / (least * least);
        Vec<double, 12> found;
        Vec<double, 12> expected;
        direct.min_norm(Solo{}, e, found);
        svd.min_norm(Solo{}, e, expected);
        EXPECT_LE(distance(found, expected), allowed);
        found = x;
        direct.project(Solo{}, found);
        EXPECT_LE(distance(found, expected), allowed);
        Vec<double, 8> lambda;
        Vec<double, 8> least_lambda;
        direct.multipliers(Solo{}, e, lambda);
        svd.multipliers(Solo{}, e, least_lambda);
        for (int r = 0; r < 8; ++r) {  // forces, so that all have one unit
          const double length = std::sqrt(row_dot(rows, r, r));
          lambda[r] *= length;
          least_lambda[r] *= length;
        }
        EXPECT_LE(distance(lambda, least_lambda), 1e3 * allowed);
        EXPECT_LE(direct.squared_residual(e), 100 * allowed * allowed);
        e[7] += std::sqrt(row_dot(rows, 7, 7));  // a contradiction
        const double residual = direct.squared_residual(e);
        EXPECT_GE(residual, svd.squared_residual(e) * (1 - 1e-6));
        EXPECT_LE(direct.largest_dropped(), 1e-13 + 100 * tilt);
      }
      EXPECT_GE(served, 30) << row_units << ' ' << tilt;
    }
  }
}

/// A chain whose links are stated twice, the second time in other units: weakly independent, and exactly dependent.
TEST(SparseLdlt, RowsOfLongChainsThatAreStatedTwiceAreLeftOut) {
  constexpr int links = 16;
  using Pattern = DensePattern<2 * links, links + 1>;
  Direct<double, Pattern> direct;
  BySvd<double, Pattern> svd;
  for (int r = 0; r < 2 * links; ++r) {
    const int link = r / 2;
    const double unit = r % 2 == 0 ? 1 : 300;
    for (int j = 0; j <= links; ++j) {
      direct.rows(r, j) = svd.rows(r, j) = unit * (j == link ? 1 + 0.1 * link : (j == link + 1 ? -1.5 : 0));
    }
  }
  EXPECT_TRUE(direct.factorize(Solo{}, RankRule<double>::at_step({}, -1.0), false));
  EXPECT_TRUE(svd.factorize(Solo{}, RankRule<double>::at_step({}, -1.0), false));
  EXPECT_TRUE(direct.served);
  EXPECT_EQ(direct.rank(), links);
  EXPECT_LE(direct.least_value(0.25), 0.25);
  for (const double contradiction : {0.0, 1e-17, 1e-9, 1e-3, 1.0}) {
    Vec<double, 2 * links> e;
    for (int r = 0; r < 2 * links; ++r) {
      const int link = r / 2;
      e[r] = std::sin(1.0 + link) * (r % 2 == 0 ? 1 : 300);
    }
    e[7] += contradiction;
    Vec<double, links + 1> found;
    Vec<double, links + 1> expected;
    direct.min_norm(Solo{}, e, found);
    svd.min_norm(Solo{}, e, expected);
    EXPECT_LE(distance(found, expected), 1e-12) << contradiction;
    Vec<double, 2 * links> lambda;
    Vec<double, 2 * links> least;
    direct.multipliers(Solo{}, e, lambda);
    svd.multipliers(Solo{}, e, least);
    EXPECT_LE(distance(lambda, least), 1e-11) << contradiction;
    EXPECT_NEAR(direct.squared_residual(e), svd.squared_residual(e), 1e-14 + 1e-12 * svd.squared_residual(e));
  }
}

TEST(SparseLdlt, ANeighbourLeftToTheSvdChangesNoBits) {
  using X = Pack<double>;
  const auto solution = [](double odd) {
    const auto direct = std::make_unique<Direct<X, DensePattern<3, 5>>>();
    double apart[X::lanes];
    for (int lane = 0; lane < X::lanes; ++lane) apart[lane] = 1.0 + lane;
    apart[1] = odd;
    set_rows(*direct, X::load(apart));
    direct->factorize(Solo{}, RankRule<X>(X(1e-6)), false);
    EXPECT_EQ(direct->serves_all, odd == 2.0 || odd == 0.0);
    Vec<X, 5> x;
    direct->min_norm(Solo{}, {X(1), X(2), X(-3)}, x);
    std::vector<std::uint64_t> bits;
    for (int i = 0; i < 5; ++i) {
      double lanes[X::lanes];
      x[i].store(lanes);
      for (int lane = 0; lane < X::lanes; ++lane) {
        if (lane != 1) bits.push_back(std::bit_cast<std::uint64_t>(lanes[lane]));
      }
    }
    return bits;
  };
  const auto calm = solution(2.0);
  for (const double odd : {0.0, 1e-9, 1e300, std::nan("")}) EXPECT_EQ(solution(odd), calm) << odd;
}

}  // namespace
}  // namespace kalaba
