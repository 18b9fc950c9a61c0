// Steps on the fast path of a model with a single row: the same results as the general path, which handles all special
// cases.

#include "kalaba/core/loop/fast_step.hpp"

#include <gtest/gtest.h>

#include "core/plain_ring.hpp"

namespace kalaba::plain_ring {
namespace {

/// Lanes at different steps have the times of the grid, to the bit.
TEST(FastSteps, AreAtTheTimesOfTheGridInEachLane) {
  for (const double dt : {1e-3, 0.1, 1.0 / 3, 7e-7}) {
    const TimeGrid time{.start = 0.3, .end = 0.3 + 1000 * dt, .dt = dt};
    for (long step = 0; step < 1000; ++step) {
      const auto one = Interval<double>::of(time, step);
      const auto each = Interval<double>::of_each(time, static_cast<double>(step));
      EXPECT_EQ(each.begin, one.begin);
      EXPECT_EQ(each.length, one.length);
      EXPECT_EQ(each.end, one.end);
    }
  }
}

TEST(FastSteps, GoWhereTheGeneralOnesGo) {
  for (const Stabilization& each : stabilizations) {
    const auto expected = travelled<Ring>(starts, each, {300});
    const auto found = travelled<PlainRing>(starts, each, {300});
    const auto compare = [&](const char* what, const OfEach& a, const OfEach& b, double tolerance) {
      for (int k = 0; k < members; ++k) {
        const double x = a[k];
        const double y = b[k];
        if (std::isnan(x) && std::isnan(y)) continue;
        EXPECT_NEAR(x, y, tolerance * std::max(1.0, std::abs(y))) << what << " of member " << k;
      }
    };
    for (int i = 0; i < 2; ++i) compare("q", found.q[i], expected.q[i], 1e-11);
    for (int i = 0; i < 2; ++i) compare("w", found.w[i], expected.w[i], 1e-11);
    compare("status", found.status, expected.status, 0);
    compare("failed step", found.failed_step, expected.failed_step, 0);
    compare("rank", found.rank, expected.rank, 0);
    compare("rank changes", found.rank_changes, expected.rank_changes, 0);
  }
}

TEST(FastSteps, LeaveEdgesToTheGeneralOnes) {
  const auto end = travelled<PlainRing>(starts, Stabilization::none(), {300});
  const Status expected[] = {Status::ok,
                             Status::ok,
                             Status::ok,
                             Status::ok,
                             Status::inconsistent_constraints,
                             Status::singular_constraints,
                             Status::non_finite,
                             Status::non_finite,
                             Status::ok,
                             Status::non_finite};
  int k = 0;
  for (const Status status : expected) {
    EXPECT_EQ(end.status[k], static_cast<int>(status)) << "member " << k;
    ++k;
  }
  EXPECT_EQ(end.rank[0], 1);
  EXPECT_EQ(end.rank[3], 0);
  EXPECT_GT(end.failed_step[5], 1);
  for (k = 9; k < members; ++k) {
    EXPECT_GT(end.failed_step[k], 1) << "or it was the first, which is a general one";
    EXPECT_TRUE(std::isfinite(end.q[0][k]) && std::isfinite(end.w[0][k])) << "member " << k;
  }
  for (k = 0; k < 3; ++k) EXPECT_NEAR(std::hypot(end.q[0][k], end.q[1][k]), 1.5, 1e-6);
}

/// Single-number arithmetic, in which a division by an infinite square must not give NaN.
TEST(FastSteps, KnowTheRangeOfNumbers) {
  for (const double scale : {1e-160, 1.0, 1e160}) {
    MemberLoop<PlainRing, double, JacobiSvd> loop;
    Member<PlainRing, double> member{};
    member.p = {2, 9.81, 1.5, scale, -9};
    member.q = {0.9, 1.2};
    member.w = {0.8, -0.6};
    member.rank = -1;
    loop.advance(Solo{}, member, method_of(Stabilization::none()), Ring::time, 0, 300);
    EXPECT_EQ(member.status, 0);
    EXPECT_NEAR(std::hypot(member.q[0], member.q[1]), 1.5, 1e-6) << scale;
  }
}

/// The force is infinite from the end of step 49 on, at which the step's last stage is evaluated.
struct Burst : PlainRing {
  template <class X>
  KALABA_FN static X blow(const X& t) {
    return select(X(0.0999) < t, X(std::numeric_limits<double>::infinity()), X(0));
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {blow(t), Ring::force(p, t, q, w)[1]};
  }
  template <class P, class X>
  KALABA_FN static auto single_row(const P& p, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    auto row = PlainRing::single_row(p, t, q, w);
    row.free[0] = blow(t);
    return row;
  }
};

TEST(FastSteps, SeeWhatTheLastStageBreaks) {
  const auto end = travelled<Burst>(starts, Stabilization::none(), {300});
  EXPECT_EQ(end.status[0], static_cast<int>(Status::non_finite));
  EXPECT_EQ(end.failed_step[0], 49);
  EXPECT_TRUE(std::isfinite(end.w[0][0]));
}

TEST(FastSteps, GiveAMemberItsBitsWhateverIsBesideIt) {
  for (const Stabilization& each : stabilizations) {
    const auto mixed = travelled<PlainRing>(starts, each, {300});
    for (int k = 0; k < members; ++k) {
      std::array<Start, members> alike;
      alike.fill(starts[static_cast<std::size_t>(k)]);
      const auto alone = travelled<PlainRing>(alike, each, {300});
      for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(same_bits(mixed.q[i][k], alone.q[i][0])) << "member " << k;
        EXPECT_TRUE(same_bits(mixed.w[i][k], alone.w[i][0])) << "member " << k;
      }
    }
  }
}

TEST(FastSteps, HaveTheSameBitsHoweverTheyAreCut) {
  for (const Stabilization& each : stabilizations) {
    const auto whole = travelled<PlainRing>(starts, each, {300});
    const auto cut = travelled<PlainRing>(starts, each, {1, 2, 140, 157});
    for (int k = 0; k < members; ++k) {
      for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(whole.q[i][k], cut.q[i][k])) << k;
      EXPECT_EQ(whole.status[k], cut.status[k]) << k;
    }
  }
}

}  // namespace
}  // namespace kalaba::plain_ring
