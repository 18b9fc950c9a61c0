// A pendulum whose bar, and a wheel geared to it, have no inertia, or next to none, or some, in any units.

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "backend/reference/rate.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "kalaba/core/rate/constrained_rate.hpp"
#include "support/boost_reading.hpp"

namespace kalaba {
namespace {

constexpr double l = 0.7;
constexpr double g = 9.81;

/// The units of mass and length, and of the angle of the wheel, are the parameters m, `unit` and `turn`; the moments of
/// inertia of the bar and the wheel are J and `wheel`, in these units.
struct GearedPendulum {
  static constexpr const char* name = "geared_pendulum";
  static constexpr const char* summary = "";
  static constexpr const char* source = "";
  static constexpr const char* equations = "";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr bool singular_metric = true;
  static constexpr Quantity parameters[] = {
      {"m", "", 1.0}, {"unit", "", 1.0}, {"turn", "", 1.0}, {"J", "", 0.0}, {"wheel", "", 0.0}};
  static constexpr Quantity coordinates[] = {{"x", ""}, {"y", ""}, {"th", ""}, {"wheel", ""}};
  static constexpr Quantity rates[] = {{"x_dot", ""}, {"y_dot", ""}, {"th_dot", ""}, {"wheel_dot", ""}};
  static constexpr Quantity holonomic[] = {{"gear", ""}, {"across", ""}, {"up", ""}};
  static constexpr TimeGrid time{};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q&, W&) {}
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 4>&) {
    const auto inertia = p[0] * p[1] * p[1];
    return Diagonal<X, 4>{{X(p[0]), X(p[0]), X(inertia * p[3]), X(inertia * p[4] / (p[2] * p[2]))}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 4> force(const P& p, const X&, const Vec<X, 4>&, const Vec<X, 4>&) {
    return {X(0), X(p[0] * p[1] * -g), X(0), X(0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> phi(const P& p, const X&, const Vec<X, 4>& q) {
    return {q[3] - q[2] * (p[2] * 3), q[0] - sin(q[2]) * (p[1] * l), q[1] + cos(q[2]) * (p[1] * l)};
  }
};

struct DefinitePendulum : GearedPendulum {
  static constexpr bool singular_metric = false;
};

struct Place {
  double m, unit, turn, J, th;
  double wheel = 0;
  double omega = 0.6;
};

/// (x'', y'', th'', wheel'', lambda_gear, lambda_across, lambda_up)
Vec<double, 7> expected(const Place& at) {
  const double s = std::sin(at.th);
  const double c = std::cos(at.th);
  const double angular = -g * l * s / (l * l + at.J + 9 * at.wheel);
  const double x = l * (c * angular - s * at.omega * at.omega);
  const double y = l * (s * angular + c * at.omega * at.omega);
  const double force = at.m * at.unit;
  const double gear = 3 * at.wheel * angular * force * at.unit / at.turn;
  return {x * at.unit, y * at.unit, angular, 3 * at.turn * angular, gear, force * x, force * (y + g)};
}

void expect_near(const Vec<double, 7>& found, const Place& at) {
  SCOPED_TRACE(testing::Message() << "m " << at.m << " unit " << at.unit << " turn " << at.turn << " J " << at.J
                                  << " th " << at.th);
  const Vec<double, 7> wanted = expected(at);
  const double force = at.m * at.unit * g;
  const double sizes[] = {at.unit * g, at.unit * g, g, at.turn * g, force * at.unit / at.turn, force, force};
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-11 * sizes[i]) << i;
}

Vec<double, 5> parameters_of(const Place& at) { return {at.m, at.unit, at.turn, at.J, at.wheel}; }
Vec<double, 4> coordinates_of(const Place& at) {
  const double length = l * at.unit;
  return {length * std::sin(at.th), -length * std::cos(at.th), at.th, 3 * at.turn * at.th};
}
Vec<double, 4> rates_of(const Place& at) {
  const double speed = l * at.unit * at.omega;
  return {speed * std::cos(at.th), speed * std::sin(at.th), at.omega, 3 * at.turn * at.omega};
}

Method unstabilized() {
  Method method;
  method.stabilization = {.kind = Stabilization::Kind::none};
  return method;
}

template <class M, template <class, int, int> class Inverse>
void by_core(const Place& at) {
  const Method method = unstabilized();
  ConstrainedRate<M, double, Inverse> rate;
  const double code = rate.evaluate(Solo{}, method, RankRule<double>(method.rank_tolerance), parameters_of(at), 0.0,
                                    coordinates_of(at), rates_of(at), false, true);
  EXPECT_EQ(code, 0);
  Vec<double, 7> found;
  Vec<double, 3> lambda;
  rate.inverse.multipliers(Solo{}, rate.error, lambda);
  for (int i = 0; i < 4; ++i) found[i] = rate.dot.w[i];
  for (int r = 0; r < 3; ++r) found[4 + r] = lambda[r];
  expect_near(found, at);
}

template <class M>
void by_reference(const Place& at) {
  reference::Instant x;
  const auto copied = [](const auto& v) {
    return reference::Vector(Eigen::Map<const Eigen::VectorXd>(v.data, static_cast<long>(std::size(v.data))));
  };
  x.p = copied(parameters_of(at));
  x.q = copied(coordinates_of(at));
  x.w = copied(rates_of(at));
  const reference::Rate rate = evaluate_rate(reference::Reading<M>(), unstabilized(), x);
  ASSERT_EQ(rate.status, Status::ok);
  Vec<double, 7> found;
  for (int i = 0; i < 4; ++i) found[i] = rate.w_dot[i];
  for (int r = 0; r < 3; ++r) found[4 + r] = rate.multipliers[r];
  expect_near(found, at);
}

/// In units of all sizes.
void everywhere(double J, double wheel, void (*check)(const Place&)) {
  for (const double unit : {1.0, 1e-6, 1e6}) {
    for (const double m : {1.0, 1e-6, 1e6}) {
      for (const double turn : {1.0, 1e-6, 1e6}) check({m, unit, turn, J, 1.1, wheel});
    }
  }
}

void with_light_bars(void (*check)(const Place&)) {
  for (const double th : {0.0, 1e-9, 1.1, 1.5707963257948965, 1.5707963267948966}) {
    for (const double J : {0.0, 1e-9, 1e-3, 10.0}) check({1e3, 1e-3, 1, J, th});
  }
  for (const double J : {1e-30, 1e-18}) check({1e3, 1e-3, 1, J, 1.1});
}

TEST(SingularMetric, HasTheSameMotionInAnyUnits) {
  everywhere(0, 0, by_core<GearedPendulum, JacobiSvd>);
  everywhere(0, 0, by_core<GearedPendulum, PivotedQr>);
  with_light_bars(by_core<GearedPendulum, JacobiSvd>);
  with_light_bars(by_core<GearedPendulum, PivotedQr>);
}

TEST(SingularMetric, HasTheSameMotionInAnyUnitsByTheReference) {
  everywhere(0, 0, by_reference<GearedPendulum>);
  with_light_bars(by_reference<GearedPendulum>);
}

TEST(DefiniteMetric, HasTheSameMotionInAnyUnits) {
  everywhere(0.3, 0.1, by_core<DefinitePendulum, JacobiSvd>);
  everywhere(0.3, 0.1, by_core<DefinitePendulum, PivotedQr>);
}

TEST(DefiniteMetric, HasTheSameMotionInAnyUnitsByTheReference) { everywhere(0.3, 0.1, by_reference<DefinitePendulum>); }

}  // namespace
}  // namespace kalaba
