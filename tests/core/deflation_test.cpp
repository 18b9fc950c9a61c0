// Direct method near singular positions of a row of parallelogram four-bars, compared with the truncated SVD.

#include "kalaba/core/inverse/deflation.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/inverse/inverse_of_rows.hpp"
#include "kalaba/core/member/passage.hpp"

namespace kalaba {
namespace {

constexpr int windows = 10;
constexpr int m = 6 * windows + 2;
constexpr int n = 6 * windows + 3;

/// Bars of a joint: the ground and a crank, or a crank and a coupler; twice, for x and y.
struct Tables {
  int bar[m][2] = {};     ///< -1: the ground
  double end[m][2] = {};  ///< which end of it
  int begin[m + 1] = {};
  int column[4 * m] = {};
  int order[m] = {};
  int first[m] = {};
  int last[m] = {};
  int start[m + 1] = {};

  constexpr Tables() {
    int placed = 0;
    for (int i = 0; i <= windows; ++i) {  // from left to right
      place(2 * i, -1, 0, i, -1, placed);
      if (i == windows) break;
      place(2 * (windows + 1 + 2 * i), i, 1, windows + 1 + i, -1, placed);
      place(2 * (windows + 2 + 2 * i), i + 1, 1, windows + 1 + i, 1, placed);
    }
    for (int r = 0; r < m; ++r) {
      int k = begin[r];
      for (int side = 0; side < 2; ++side) {
        if (bar[r][side] < 0) continue;
        column[k++] = 3 * bar[r][side] + r % 2;
        column[k++] = 3 * bar[r][side] + 2;
      }
      begin[r + 1] = k;
    }
    for (int i = 0; i < m; ++i) {
      first[i] = i;
      for (int j = i - 1; j >= 0; --j) first[i] = share(order[i], order[j]) ? j : first[i];
      start[i + 1] = start[i] + i - first[i];
      for (int j = first[i]; j <= i; ++j) last[j] = i;
    }
  }
  constexpr void place(int r, int a, double end_a, int b, double end_b, int& placed) {
    for (int axis = 0; axis < 2; ++axis) {
      bar[r + axis][0] = a;
      bar[r + axis][1] = b;
      end[r + axis][0] = end_a;
      end[r + axis][1] = end_b;
      order[placed++] = r + axis;
    }
  }
  constexpr bool share(int r, int s) const {
    for (int i = begin[r]; i < begin[r + 1]; ++i) {
      for (int j = begin[s]; j < begin[s + 1]; ++j) {
        if (column[i] == column[j]) return true;
      }
    }
    return false;
  }
};

struct Linkage {
  static constexpr Tables tables = {};
  static constexpr bool dense = false;
  static constexpr int rows = m;
  static constexpr int cols = n;
  static constexpr int count = tables.begin[m];
  static constexpr int envelope = tables.start[m];
  static constexpr int coupled = 9;
  static int begin(int r) { return tables.begin[r]; }
  static int column(int k) { return tables.column[k]; }
  static int order(int i) { return tables.order[i]; }
  static int first(int i) { return tables.first[i]; }
  static int last(int j) { return tables.last[j]; }
  static int start(int i) { return tables.start[i]; }

  /// Weighted rows for cranks at an angle, with bars of mass 1 and length 1.
  template <class X>
  static void fill(SparseMat<X, Linkage>& rows_of, const X& sine, const X& cosine) {
    for (int r = 0; r < m; ++r) {
      int k = tables.begin[r];
      for (int side = 0; side < 2; ++side) {
        const int bar = tables.bar[r][side];
        if (bar < 0) continue;
        const bool crank = bar <= windows;
        const X slope = r % 2 == 0 ? -(crank ? sine : X(0)) : crank ? cosine : X(1);
        const double sign = tables.bar[r][0] >= 0 && side == 1 ? -1 : 1;
        rows_of.data[k++] = X(sign);
        rows_of.data[k++] = slope * X(sign * tables.end[r][side] * std::sqrt(3.0));
      }
    }
  }
};

template <class X>
using Direct = InverseOfRows<X, Linkage, SparseLdlt>;
using BySvd = UnitRows<double, m, n, JacobiSvd>;

double distance(const Vec<double, n>& a, const Vec<double, n>& b) {
  double square = 0;
  for (int i = 0; i < n; ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square / (1e-30 + dot(b, b)));
}

struct Pair {
  std::unique_ptr<Direct<double>> direct = std::make_unique<Direct<double>>();
  std::unique_ptr<BySvd> svd = std::make_unique<BySvd>();

  Pair(double angle, const RankRule<double>& rule) {
    Linkage::fill(direct->rows, std::sin(angle), std::cos(angle));
    for (int r = 0; r < m; ++r) spread_row<Linkage>(direct->rows, r, &svd->rows(r, 0));
    EXPECT_TRUE(direct->factorize(Solo{}, rule, false));
    EXPECT_TRUE(svd->factorize(Solo{}, rule, false));
  }
};

/// Compares the results of both for consistent and inconsistent right-hand sides.
void expect_the_same_answers(const Pair& pair, double tolerance) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 3; ++trial) {
    Vec<double, m> e;
    Vec<double, n> found;
    Vec<double, n> expected;
    for (int r = 0; r < m; ++r) e[r] = normal(random);
    pair.direct->min_norm(Solo{}, e, found);
    pair.svd->min_norm(Solo{}, e, expected);
    EXPECT_LE(distance(found, expected), tolerance);
    const double left = pair.svd->squared_residual(e);
    EXPECT_NEAR(pair.direct->squared_residual(e), left, 1e-6 * left + 1e-25);
    for (int i = 0; i < n; ++i) found[i] = expected[i] = normal(random);
    pair.direct->project(Solo{}, found);
    pair.svd->project(Solo{}, expected);
    EXPECT_LE(distance(found, expected), tolerance);
  }
}

/// The smallest singular value is 0.132 times the angle, and the tenth 0.86 times.
TEST(Deflation, TruncatesAsTheSvdDoesAtTheEndsOfSteps) {
  const Method method;
  int truncated = 0;
  int by_the_svd = 0;
  for (double angle = 0.03; angle > 1e-6; angle *= 0.83) {
    for (const double speed : {5e-4, 1e-4}) {
      const Pair pair(angle, Passage<double>::rule(method, m, speed, true));
      by_the_svd += pair.direct->falls_back ? 1 : 0;
      EXPECT_EQ(pair.direct->rank(), pair.svd->rank()) << angle;
      truncated += pair.svd->rank() < m ? 1 : 0;
      expect_the_same_answers(pair, 1e-8);
    }
  }
  EXPECT_GT(truncated, 60);
  EXPECT_LE(by_the_svd, 2) << "an SVD of all rows where a few values are small";
}

TEST(Deflation, KeepsSmallValuesWithinSteps) {
  const Method method;
  int deflated = 0;
  for (double angle = 0.03; angle > 1e-6; angle *= 0.61) {
    const Pair pair(angle, RankRule<double>::in_passage(method, m));
    EXPECT_FALSE(pair.direct->falls_back) << angle;
    deflated += pair.direct->deflated ? 1 : 0;
    EXPECT_EQ(pair.direct->rank(), m);
    EXPECT_NEAR(pair.direct->least_value(1), pair.svd->least_value(1), 0.3 * pair.svd->least_value(1));
    expect_the_same_answers(pair, 1e-14 / angle);
  }
  EXPECT_GE(deflated, 4);
}

/// A row that was dropped at the beginning of a step stays dropped in the step, however large it becomes.
TEST(Deflation, DropsWhatDidNotCount) {
  const Pair pair(3e-6, RankRule<double>::in_passage({}, m - 3));
  EXPECT_TRUE(pair.direct->deflated);
  EXPECT_EQ(pair.direct->rank(), m - 3);
  EXPECT_EQ(pair.svd->rank(), m - 3);
  expect_the_same_answers(pair, 1e-8);
}

/// A value of twice the limit is detected, although a bound from the trace may be as low as 1/sqrt(m) of it.
TEST(Deflation, TheFactorServesWhereNoValueIsBelowTheLimit) {
  for (const double above : {2.0, 0.9}) {
    const double angle = above * 3e-3 * std::sqrt(9.0) / 0.132;
    RankRule<double> rule = RankRule<double>::in_passage({}, m);
    rule.tolerance = rule.held = 3e-3;
    const Pair pair(angle, rule);
    EXPECT_TRUE(pair.direct->served);
    EXPECT_EQ(pair.direct->serves_all, above > 1) << above;
    expect_the_same_answers(pair, 1e-11);
  }
}

TEST(Deflation, ElsewhereTheSvdAnswersAsEver) {
  const Pair pair(1e-5, RankRule<double>::within_step({}, m));
  EXPECT_TRUE(pair.direct->falls_back);
  expect_the_same_answers(pair, 1e-13);
}

TEST(Deflation, ExactlyInASingularPositionTheSvdAnswers) {
  const Pair pair(0, RankRule<double>::in_passage({}, m - windows));
  EXPECT_EQ(pair.direct->rank(), m - windows);
  expect_the_same_answers(pair, 1e-11);
}

TEST(Deflation, NeighboursDoNotMatter) {
  using X = Pack<double>;
  const auto solution = [](double odd) {
    const auto direct = std::make_unique<Direct<X>>();
    double sine[X::lanes];
    double cosine[X::lanes];
    for (int lane = 0; lane < X::lanes; ++lane) {
      const double angle = lane == 1 ? odd : 3e-4 * (1 + 3 * lane);
      sine[lane] = std::sin(angle);
      cosine[lane] = std::cos(angle);
    }
    Linkage::fill(direct->rows, X::load(sine), X::load(cosine));
    direct->factorize(Solo{}, Passage<X>::rule({}, X(m), X(3e-4), true), false);
    EXPECT_TRUE(any(direct->deflated));
    Vec<X, m> e;
    Vec<X, n> x;
    for (int r = 0; r < m; ++r) e[r] = X(1 + r % 7);
    direct->min_norm(Solo{}, e, x);
    std::vector<std::uint64_t> bits;
    for (int i = 0; i < n; ++i) {
      double lanes[X::lanes];
      x[i].store(lanes);
      for (int lane = 0; lane < X::lanes; ++lane) {
        if (lane != 1) bits.push_back(std::bit_cast<std::uint64_t>(lanes[lane]));
      }
    }
    return bits;
  };
  const auto calm = solution(0.5);
  for (const double odd : {0.0, 1e-7, 1e-5, 2e-4, 0.03, std::nan("")}) EXPECT_EQ(solution(odd), calm) << odd;
}

}  // namespace
}  // namespace kalaba
