// Metric-weighted projection of a state onto its constraints.

#include "kalaba/core/rate/projection.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"

namespace kalaba {
namespace {

/// Particle with a separate mass per axis on the circle x^2 + y^2 = r^2; `Twice` adds a second circle with its own
/// radius.
template <bool Twice>
struct Circle {
  static constexpr const char* name = "circle";
  static constexpr const char* summary = "a particle on a circle";
  static constexpr const char* source = "the tests";
  static constexpr const char* equations = "phi = x^2 + y^2 - r^2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"mx", "kg", 1}, {"my", "kg", 4}, {"r", "m", 2}, {"again", "m", 2}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity circle[] = {{"circle", "m^2"}};
  static constexpr Quantity circles[] = {{"circle", "m^2"}, {"circle_again", "m^2"}};
  static constexpr const auto& holonomic = []() -> const auto& {
    if constexpr (Twice) {
      return circles;
    } else {
      return circle;
    }
  }
  ();
  static constexpr TimeGrid time = {.end = 1, .dt = 1e-3, .save_every = 100};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = p[2];
    q[1] = w[0] = w[1] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(p[0]), X(p[1])}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(0.0), X(0.0)};
  }
  template <class P, class X>
  KALABA_FN static auto phi(const P& p, const X&, const Vec<X, 2>& q) {
    const X square = q[0] * q[0] + q[1] * q[1];
    if constexpr (Twice) {
      return Vec<X, 2>{square - p[2] * p[2], square - p[3] * p[3]};
    } else {
      return Vec<X, 1>{square - p[2] * p[2]};
    }
  }
};

template <class M, template <class, int, int> class Inverse>
struct Bench {
  using P = Prepared<M, double>;
  ConstrainedRate<M, double, Inverse> rate;
  Projection<M, double, Inverse> projection;
  P p = prepared<M>(Vec<double, 4>{1.0, 4.0, 2.0, 2.0});
  Vec<double, 2> q{1.5, 1.0};
  Vec<double, 2> w{0.3, -0.7};

  bool apply(int limit = 50) { return projection.apply(Solo{}, rate, Method{}, p, 0.0, q, w, true, limit, false); }
};

template <template <class, int, int> class Inverse, bool Twice>
void expect_on_the_circle() {
  Bench<Circle<Twice>, Inverse> bench;
  EXPECT_TRUE(bench.apply());
  EXPECT_NEAR(bench.q[0] * bench.q[0] + bench.q[1] * bench.q[1], 4, 1e-13);
  EXPECT_NEAR(bench.q[0] * bench.w[0] + bench.q[1] * bench.w[1], 0, 1e-13);
}

TEST(ProjectionTest, PutsPositionAndVelocityOnTheConstraints) {
  expect_on_the_circle<JacobiSvd, false>();
  expect_on_the_circle<PivotedQr, false>();
  expect_on_the_circle<JacobiSvd, true>();
  expect_on_the_circle<PivotedQr, true>();
}

TEST(ProjectionTest, TheVelocityMovesAsLittleAsTheMetricAllows) {
  Bench<Circle<false>, JacobiSvd> bench;
  ASSERT_TRUE(bench.apply());
  const auto given = Vec<double, 2>{0.3, -0.7};
  // G (w - given) is parallel to the constraint's gradient: its work in virtual displacements is zero.
  const double virtual_work = -bench.q[1] * 1.0 * (bench.w[0] - given[0]) + bench.q[0] * 4.0 * (bench.w[1] - given[1]);
  EXPECT_NEAR(virtual_work, 0, 1e-13);
}

/// Lane 0 is projected; its neighbours, which take part in the iterations, are bitwise unchanged.
TEST(ProjectionTest, LeavesMembersThatAreNotMeant) {
  using X = Pack<double>;
  using M = Circle<false>;
  ConstrainedRate<M, X, JacobiSvd> rate;
  Projection<M, X, JacobiSvd> projection;
  const auto p = prepared<M>(Vec<X, 4>{X(1.0), X(4.0), X(2.0), X(2.0)});
  Vec<X, 2> q{X(1.5), X(1.0)};
  Vec<X, 2> w{X(0.3), X(-0.7)};
  double number[X::lanes];
  for (int lane = 0; lane < X::lanes; ++lane) number[lane] = lane;
  projection.apply(Solo{}, rate, Method{}, p, X(0.0), q, w, X::load(number) < X(1), 50, false);
  const auto lanes_of = [](const X& x) {
    std::array<double, X::lanes> values;
    x.store(values.data());
    return values;
  };
  EXPECT_NEAR(lanes_of(q[0])[0] * lanes_of(q[0])[0] + lanes_of(q[1])[0] * lanes_of(q[1])[0], 4, 1e-13);
  for (int lane = 1; lane < X::lanes; ++lane) {
    EXPECT_EQ(lanes_of(q[0])[lane], 1.5);
    EXPECT_EQ(lanes_of(q[1])[lane], 1.0);
    EXPECT_EQ(lanes_of(w[0])[lane], 0.3);
    EXPECT_EQ(lanes_of(w[1])[lane], -0.7);
  }
}

/// The warm-start state of a member does not depend on the number of matrices of its neighbours.
TEST(ProjectionTest, ANeighboursMatricesLeaveWhatAMemberCarries) {
  using X = Pack<double>;
  JacobiSvd<X, 3, 3> svd;
  const auto fill = [&](double shift) {
    for (int i = 0; i < 9; ++i) svd.rows.data[i] = X(std::cos(shift + 1.7 * i * i));
  };
  const auto carried = [&] {
    std::array<std::array<double, X::lanes>, 9> values;
    for (int i = 0; i < 9; ++i) svd.rotation.data[i].store(values[i].data());
    return values;
  };
  double number[X::lanes];
  for (int lane = 0; lane < X::lanes; ++lane) number[lane] = lane;
  const auto first = X::load(number) < X(1);
  fill(0);
  svd.factorize(Solo{}, RankRule<X>(1e-6), false);
  const auto before = carried();
  for (const bool warm : {true, false}) {
    fill(warm ? 0.1 : 0.2);
    svd.factorize(Solo{}, for_lanes_alone<decltype(svd)>(RankRule<X>(1e-6), first), warm);
    const auto after = carried();
    bool moved = false;
    for (int i = 0; i < 9; ++i) {
      moved = moved || after[i][0] != before[i][0];
      for (int lane = 1; lane < X::lanes; ++lane) EXPECT_EQ(after[i][lane], before[i][lane]) << warm << i << lane;
    }
    EXPECT_TRUE(moved);
  }
}

TEST(ProjectionTest, TellsWhatItCannotReach) {
  Bench<Circle<true>, JacobiSvd> contradictory;
  contradictory.p = prepared<Circle<true>>(Vec<double, 4>{1.0, 4.0, 2.0, 2.5});
  EXPECT_FALSE(contradictory.apply());
  Bench<Circle<false>, JacobiSvd> hurried;
  EXPECT_FALSE(hurried.apply(1));
  Bench<Circle<false>, JacobiSvd> lost;
  lost.q[0] = std::nan("");
  EXPECT_FALSE(lost.apply());
}

}  // namespace
}  // namespace kalaba
