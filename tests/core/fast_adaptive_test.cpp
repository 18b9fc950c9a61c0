// Adaptive steps on the fast path of a model with a single row: the same results as the general path, lane by lane.

#include <gtest/gtest.h>

#include "core/plain_ring.hpp"

namespace kalaba::plain_ring {
namespace {

template <class Which>
struct FastAdaptive : testing::Test {};
struct ByDopri5 {
  static constexpr Integrator integrator = Integrator::dopri5;
};
struct ByDop853 {
  static constexpr Integrator integrator = Integrator::dop853;
};
using Ways = testing::Types<ByDopri5, ByDop853>;
TYPED_TEST_SUITE(FastAdaptive, Ways);

TYPED_TEST(FastAdaptive, GoWhereTheGeneralOnesGo) {
  for (const Stabilization& each : stabilizations) {
    const auto expected = travelled<Ring, TypeParam::integrator>(starts, each, {300});
    const auto found = travelled<PlainRing, TypeParam::integrator>(starts, each, {300});
    for (int k = 0; k < members; ++k) {
      const double status = expected.status[k];
      EXPECT_EQ(found.status[k], status) << k;
      EXPECT_EQ(found.rank[k], expected.rank[k]) << k;
      if (status != static_cast<int>(Status::ok)) continue;
      const double tolerance = k < 9 ? 1e-7 : 1e-4;  // the fast ones go round up to 2,200 times
      for (int i = 0; i < 2; ++i) EXPECT_NEAR(found.q[i][k], expected.q[i][k], tolerance) << k;
    }
  }
}

TYPED_TEST(FastAdaptive, GiveAMemberItsBitsWhateverIsBesideIt) {
  for (const Stabilization& each : stabilizations) {
    const auto mixed = travelled<PlainRing, TypeParam::integrator>(starts, each, {300});
    for (int k = 0; k < members; ++k) {
      std::array<Start, members> alike;
      alike.fill(starts[static_cast<std::size_t>(k)]);
      const auto alone = travelled<PlainRing, TypeParam::integrator>(alike, each, {300});
      for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(same_bits(mixed.q[i][k], alone.q[i][0])) << "member " << k;
        EXPECT_TRUE(same_bits(mixed.w[i][k], alone.w[i][0])) << "member " << k;
      }
      EXPECT_EQ(mixed.accepted[k], alone.accepted[0]) << "member " << k;
      EXPECT_EQ(mixed.rejected[k], alone.rejected[0]) << "member " << k;
    }
  }
}

/// Long steps take one to three corrections, in each lane as many as it needs.
TYPED_TEST(FastAdaptive, GiveAMemberItsBitsBesideOnesThatAreCorrectedMore) {
  std::array<Start, members> turning;
  for (int k = 0; k < members; ++k) {
    const double speed = 0.3 * std::pow(1.5, (k * 7) % members);
    turning[static_cast<std::size_t>(k)] = {.w = {0.8 * speed, -0.6 * speed}};
  }
  for (const double tolerance : {1e-8, 1e-5, 1e-3}) {
    const Stabilization projection = Stabilization::projection();
    const auto mixed = travelled<PlainRing, TypeParam::integrator>(turning, projection, {300}, tolerance);
    for (int k = 0; k < members; ++k) {
      std::array<Start, members> alike;
      alike.fill(turning[static_cast<std::size_t>(k)]);
      const auto alone = travelled<PlainRing, TypeParam::integrator>(alike, projection, {300}, tolerance);
      for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(same_bits(mixed.q[i][k], alone.q[i][0])) << "member " << k << ", " << tolerance;
        EXPECT_TRUE(same_bits(mixed.w[i][k], alone.w[i][0])) << "member " << k << ", " << tolerance;
      }
    }
  }
}

TYPED_TEST(FastAdaptive, HaveTheSameStepsHoweverTheyAreCut) {
  for (const Stabilization& each : stabilizations) {
    const auto whole = travelled<PlainRing, TypeParam::integrator>(starts, each, {300});
    const auto cut = travelled<PlainRing, TypeParam::integrator>(starts, each, {1, 2, 140, 157});
    for (int k = 0; k < members; ++k) {
      for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(whole.q[i][k], cut.q[i][k])) << k;
      EXPECT_EQ(whole.accepted[k], cut.accepted[k]) << k;
      EXPECT_EQ(whole.status[k], cut.status[k]) << k;
    }
  }
}

}  // namespace
}  // namespace kalaba::plain_ring
