// Coulomb friction of constraints loaded by the friction force itself: a ladder sliding between a floor and a wall.

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "kalaba/core/inverse/sparse_ldlt.hpp"
#include "kalaba/core/rate/constrained_rate.hpp"

namespace kalaba {
namespace {

constexpr double L = 3;
constexpr double g = 9.81;

/// The units of mass and length are the parameters m and `unit`.
struct Ladder {
  static constexpr const char* name = "ladder";
  static constexpr const char* summary = "";
  static constexpr const char* source = "";
  static constexpr const char* equations = "";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"mu", "", 0.3}, {"m", "kg", 8.0}, {"unit", "m", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"th", ""}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}, {"th_dot", "1/s"}};
  static constexpr Quantity holonomic[] = {{"wall", "m"}, {"floor", "m"}};
  static constexpr TimeGrid time{};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[2] = 0.7;
    q[0] = p[2] * (L / 2 * cos(0.7));
    q[1] = p[2] * (L / 2 * sin(0.7));
    for (int i = 0; i < 3; ++i) w[i] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(p[1]), X(p[1]), X(p[1] * p[2] * p[2] * (L * L / 12))}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(0), X(-p[1] * p[2] * g), X(0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> phi(const P& p, const X&, const Vec<X, 3>& q) {
    return {q[0] - cos(q[2]) * (p[2] * (L / 2)), q[1] - sin(q[2]) * (p[2] * (L / 2))};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> friction(const P& p, const Vec<X, 3>& q, const X& wall, const X& floor) {
    const X foot = abs(floor) * -p[0];
    const X top = abs(wall) * p[0];
    return {foot, top, (top * cos(q[2]) - foot * sin(q[2])) * (p[2] * (L / 2))};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> non_ideal(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>&,
                                       const Vec<X, 3>& ideal_force) {
    return friction(p, q, ideal_force[0], ideal_force[1]);
  }
};

/// Ladder with the non-ideal force as a function of the multipliers.
struct LadderByMultipliers : Ladder {
  template <class P, class X>
  KALABA_FN static Vec<X, 3> non_ideal(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>&, const Vec<X, 3>&,
                                       const Vec<X, 2>& multipliers) {
    return friction(p, q, multipliers[0], multipliers[1]);
  }
};

/// (x'', y'', th'', N_wall, N_floor) at rest, if both contacts are under pressure.
Eigen::VectorXd expected(double mu, double m, double unit, double th) {
  const double s = L / 2 * std::sin(th);
  const double c = L / 2 * std::cos(th);
  Eigen::MatrixXd A(5, 5);                        // in units of mass and length that make m and `unit` 1
  A << 1, 0, 0, -1, mu,                           //
      0, 1, 0, -mu, -1,                           //
      0, 0, L * L / 12, -s - mu * c, c - mu * s,  //
      1, 0, s, 0, 0,                              //
      0, 1, -c, 0, 0;
  Eigen::VectorXd b(5);
  b << 0, -g, 0, 0, 0;
  Eigen::VectorXd units(5);
  units << unit, unit, 1, m * unit, m * unit;
  return A.fullPivLu().solve(b).cwiseProduct(units);
}

template <class M, class X, template <class, int, int> class Inverse>
struct Stage {
  ConstrainedRate<M, X, Inverse> rate;
  X code;

  Stage(const X& mu, double m, double unit, const X& th) {
    Method method;
    method.stabilization = {.kind = Stabilization::Kind::none};
    Vec<X, 3> p{{mu, X(m), X(unit)}};
    Vec<X, 3> q{{cos(th) * (unit * L / 2), sin(th) * (unit * L / 2), th}};
    const Vec<X, 3> w{{X(0), X(0), X(0)}};
    code = rate.evaluate(Solo{}, method, RankRule<X>(method.rank_tolerance), p, X(0), q, w, false, true);
  }
};

template <class M, template <class, int, int> class Inverse>
void feels_itself() {
  for (const double unit : {1.0, 1e-6, 1e6}) {
    for (const double m : {8.0, 8e-9}) {
      for (const double mu : {0.0, 1e-9, 0.1, 0.4, 0.8}) {
        const Stage<M, double, Inverse> found(mu, m, unit, 0.7);
        const Eigen::VectorXd wanted = expected(mu, m, unit, 0.7);
        EXPECT_EQ(found.code, 0);
        for (int i = 0; i < 3; ++i) {
          EXPECT_NEAR(found.rate.dot.w[i], wanted[i], 1e-11 * std::abs(wanted[i])) << "mu " << mu << " unit " << unit;
        }
        Vec<double, 2> normal;
        auto rate = found.rate;
        rate.inverse.multipliers(Solo{}, rate.error, normal);
        for (int r = 0; r < 2; ++r) EXPECT_NEAR(normal[r], wanted[3 + r], 1e-11 * std::abs(wanted[3 + r]));
      }
    }
  }
}

TEST(NonIdealForce, FeelsTheNormalForcesThatItChanges) {
  feels_itself<Ladder, JacobiSvd>();
  feels_itself<Ladder, PivotedQr>();
  feels_itself<Ladder, SparseLdlt>();
  feels_itself<LadderByMultipliers, JacobiSvd>();
  feels_itself<LadderByMultipliers, PivotedQr>();
  feels_itself<LadderByMultipliers, SparseLdlt>();
}

/// The results of a lane are bitwise identical with any neighbours, including lanes that need more iterations or none.
TEST(NonIdealForce, LeavesNeighboursAlone) {
  using X = Pack<double>;
  double mu[X::lanes];
  double th[X::lanes];
  for (int k = 0; k < X::lanes; ++k) {
    mu[k] = k % 3 == 0 ? 0.0 : 0.1 * k;
    th[k] = 0.5 + 0.03 * k;
  }
  const Stage<Ladder, X, JacobiSvd> together(X::load(mu), 8, 1, X::load(th));
  for (int k = 0; k < X::lanes; ++k) {
    const Stage<Ladder, X, JacobiSvd> alone(X(mu[k]), 8, 1, X(th[k]));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(lane_of(together.rate.dot.w[i], k), lane_of(alone.rate.dot.w[i], k)) << "lane " << k;
    }
  }
}

/// C = k |N| along the wall's normal, k > 1: no normal force balances it.
struct Paradox : Ladder {
  template <class P, class X>
  KALABA_FN static Vec<X, 3> non_ideal(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>&,
                                       const Vec<X, 3>& ideal_force) {
    return {abs(ideal_force[0]) * -3.0, X(0), X(0)};
  }
};

TEST(NonIdealForce, SaysWhereThereIsNone) {
  const Stage<Paradox, double, JacobiSvd> found(0.0, 8, 1, 0.7);
  EXPECT_EQ(found.code, static_cast<int>(Status::not_converged));
}

}  // namespace
}  // namespace kalaba
