// Batches of matrices on the CPU. pseudo_inverse_device_test.cpp runs the same tests on a device.

#include <bit>
#include <cstdint>
#include <tuple>

#include "kalaba/error.hpp"
#include "support/error_of.hpp"
#include "support/matrix_batches.hpp"

namespace kalaba::test {
namespace {

template <class T>
void on_host(const MatrixBatch& batch, const PseudoInverseArrays<T>& arrays, const PseudoInverseOptions& options) {
  factorize(OnHost{}, batch, arrays, options);
}

using Shape = std::tuple<int, int>;
class MatricesOnHost : public testing::TestWithParam<Shape> {};

TEST_P(MatricesOnHost, Svd) {
  const auto [m, n] = GetParam();
  check_shape<double>(on_host<double>, PseudoInverse::svd, m, n, 5);
  check_shape<float>(on_host<float>, PseudoInverse::svd, m, n, 5);
}
TEST_P(MatricesOnHost, Qr) {
  const auto [m, n] = GetParam();
  check_shape<double>(on_host<double>, PseudoInverse::qr, m, n, 5);
  check_shape<float>(on_host<float>, PseudoInverse::qr, m, n, 5);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatricesOnHost,
                         testing::Values(Shape(1, 1), Shape(1, 5), Shape(5, 1), Shape(2, 2), Shape(3, 4), Shape(4, 3),
                                         Shape(6, 8), Shape(9, 12), Shape(12, 9), Shape(16, 16), Shape(24, 32),
                                         Shape(33, 33), Shape(33, 40), Shape(3, 64), Shape(64, 3), Shape(64, 64)));

/// Five 2 x 3 matrices.
MatrixCase<double> five() {
  MatrixCase<double> made(2, 3, 5);
  std::mt19937 random(5);
  for (long k = 0; k < 5; ++k) made.set(k, with_spectrum(2, 3, Eigen::Vector2d(3, 1), random));
  return made;
}

std::vector<std::uint64_t> bits(const MatrixCase<double>& made, const std::vector<double>& values, int lines, long k) {
  std::vector<std::uint64_t> all;
  for (int line = 0; line < lines; ++line) all.push_back(std::bit_cast<std::uint64_t>(values[made.at(line, k)]));
  return all;
}

TEST(MatrixBatchTest, ABrokenMatrixSaysSoAndDisturbsNobody) {
  for (const PseudoInverse method : {PseudoInverse::svd, PseudoInverse::qr}) {
    auto calm = five();
    on_host(calm.batch, calm.arrays(method), {method});
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      auto disturbed = five();
      disturbed.b[disturbed.at(4, 2)] = odd;
      on_host(disturbed.batch, disturbed.arrays(method), {method});
      EXPECT_EQ(disturbed.status[2], Status::non_finite);
      EXPECT_EQ(disturbed.rank[2], 0);
      for (int line = 0; line < 6; ++line) EXPECT_TRUE(std::isnan(disturbed.inverse[disturbed.at(line, 2)]));
      for (int line = 0; line < 3; ++line) EXPECT_TRUE(std::isnan(disturbed.x[disturbed.at(line, 2)]));
      for (const long k : {0, 1, 3, 4}) {
        EXPECT_EQ(bits(disturbed, disturbed.inverse, 6, k), bits(calm, calm.inverse, 6, k)) << odd << " beside " << k;
        EXPECT_EQ(bits(disturbed, disturbed.x, 3, k), bits(calm, calm.x, 3, k)) << odd << " beside " << k;
        EXPECT_EQ(disturbed.status[static_cast<std::size_t>(k)], Status::ok);
      }
    }
  }
}

TEST(MatrixBatchTest, AMatrixAloneHasTheSameBits) {
  auto all = five();
  on_host(all.batch, all.arrays(PseudoInverse::svd), {});
  auto alone = five();
  alone.batch.count = 1;
  PseudoInverseArrays<double> arrays = alone.arrays(PseudoInverse::svd);
  arrays.b += 3;
  arrays.e += 3;
  arrays.x += 3;
  arrays.inverse += 3;
  on_host(alone.batch, arrays, {});
  EXPECT_EQ(bits(alone, alone.inverse, 6, 3), bits(all, all.inverse, 6, 3));
  EXPECT_EQ(bits(alone, alone.x, 3, 3), bits(all, all.x, 3, 3));
  EXPECT_TRUE(std::isnan(alone.x[alone.at(0, 4)]));
}

TEST(MatrixBatchTest, ABrokenRightSideLeavesTheMatrix) {
  auto made = five();
  made.e[made.at(1, 2)] = std::numeric_limits<double>::infinity();
  on_host(made.batch, made.arrays(PseudoInverse::svd), {});
  EXPECT_EQ(made.status[2], Status::non_finite);
  EXPECT_EQ(made.rank[2], 2);
  EXPECT_TRUE(std::isnan(made.x[made.at(0, 2)]));
  EXPECT_NEAR(made.values[made.at(1, 2)], 1, 1e-14);
}

TEST(MatrixBatchTest, EachFunctionFillsItsArray) {
  auto whole = five();
  on_host(whole.batch, whole.arrays(PseudoInverse::svd), {});
  auto made = five();
  solve_min_norm(OnHost{}, made.batch, made.b.data(), made.e.data(), made.x.data(), {}, made.status.data());
  pseudo_inverse(OnHost{}, made.batch, made.b.data(), made.inverse.data());
  singular_values(OnHost{}, made.batch, made.b.data(), made.values.data());
  rank(OnHost{}, made.batch, made.b.data(), made.rank.data());
  for (long k = 0; k < 5; ++k) {
    EXPECT_EQ(bits(made, made.x, 3, k), bits(whole, whole.x, 3, k));
    EXPECT_EQ(bits(made, made.inverse, 6, k), bits(whole, whole.inverse, 6, k));
    EXPECT_EQ(bits(made, made.values, 2, k), bits(whole, whole.values, 2, k));
  }
  EXPECT_EQ(made.rank, whole.rank);
  EXPECT_EQ(made.status, whole.status);
}

TEST(MatrixBatchTest, TheUsualToleranceIsThatOfThePrecision) {
  const double values[] = {1, 0, 0, 1e-12};  // 2 x 2, one matrix
  const float single[] = {1, 0, 0, 1e-12F};
  int found = -1;
  rank(OnHost{}, {2, 2, 1, 1}, values, &found);
  EXPECT_EQ(found, 2);
  rank(OnHost{}, {2, 2, 1, 1}, single, &found);
  EXPECT_EQ(found, 1);
}

/// Message of the Error that a call throws.
std::string refusal(const MatrixBatch& batch, const PseudoInverseArrays<double>& arrays,
                    const PseudoInverseOptions& options = {}) {
  return test::message_of([&] { factorize(OnHost{}, batch, arrays, options); });
}

TEST(MatrixBatchTest, WhatIsWrongIsNamed) {
  double one[1] = {1};
  const PseudoInverseArrays<double> good{.b = one, .inverse = one};
  const std::string who = "batch of matrices: ";
  EXPECT_EQ(refusal({65, 1, 1, 1}, good), who + "rows = 65; expected 1 to 64");
  EXPECT_EQ(refusal({1, 0, 1, 1}, good), who + "columns = 0; expected 1 to 64");
  EXPECT_EQ(refusal({1, 1, -1, 1}, good), who + "count = -1; expected 0 or more");
  EXPECT_EQ(refusal({1, 1, 2, 1}, good), who + "stride = 1; expected at least count = 2");
  EXPECT_EQ(refusal({1, 1, 1, 1}, good, {PseudoInverse::cusolver}),
            who + "method = cusolver; expected PseudoInverse::svd or PseudoInverse::qr");
  EXPECT_EQ(refusal({1, 1, 1, 1}, good, {PseudoInverse::svd, 1.5}),
            who + "rank_tolerance = 1.5; expected 0 (for max(M, N) epsilon) or more, below 1");
  EXPECT_EQ(refusal({1, 1, 1, 1}, {.inverse = one}), who + "no array b; expected one, of M x N lines");
  EXPECT_EQ(refusal({1, 1, 1, 1}, {.b = one, .x = one}), who + "x without e; expected both, for x = B+ e");
  EXPECT_EQ(refusal({1, 1, 1, 1}, {.b = one}),
            who + "no array to fill; expected x, inverse, singular_values, rank or status");
  EXPECT_EQ(refusal({1, 1, 1, 1}, {.b = one, .singular_values = one}, {PseudoInverse::qr}),
            who + "singular_values of method qr, which has none; expected PseudoInverse::svd");
  EXPECT_EQ(refusal({1, 1, 0, 0}, {}), "");
}

}  // namespace
}  // namespace kalaba::test
