// Constraints that always hold have no effect, and those implied by the kinematics are restored by projection.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kalaba/ensemble.hpp"
#include "singular/models.hpp"
#include "support/interpreted_system.hpp"

namespace kalaba {
namespace {

/// A torque-free body whose attitude is a quaternion, beside its body rates; nothing but the kinematics holds its norm.
struct FreeBody {
  static constexpr const char* name = "free_body";
  static constexpr const char* summary = "a torque-free body";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "e' = 1/2 e w, |e| = 1";
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity parameters[] = {{"J", "kg m^2", 1.0}};
  static constexpr Quantity coordinates[] = {{"e0", ""}, {"e1", ""}, {"e2", ""}, {"e3", ""}};
  static constexpr Quantity rates[] = {{"w1", "rad/s"}, {"w2", "rad/s"}, {"w3", "rad/s"}};
  static constexpr Quantity holonomic[] = {{"unit", ""}};
  static constexpr TimeGrid time = {.end = 20, .dt = 1e-2};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    for (int i = 0; i < 4; ++i) q[i] = i == 0 ? 1.0 : 0.0;
    w[0] = w[2] = 1e-3;
    w[1] = 5.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 4>&) {
    return Diagonal<X, 3>{{X(p[0]), X(p[0] * 2.0), X(p[0] * 3.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 4>&, const Vec<X, 3>& w) {
    return {w[1] * w[2] * -p[0], w[2] * w[0] * (p[0] * 2.0), w[0] * w[1] * -p[0]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 4> velocity(const P&, const X&, const Vec<X, 4>& e, const Vec<X, 3>& w) {
    return {(e[1] * w[0] + e[2] * w[1] + e[3] * w[2]) * -0.5, (e[0] * w[0] - e[3] * w[1] + e[2] * w[2]) * 0.5,
            (e[3] * w[0] + e[0] * w[1] - e[1] * w[2]) * 0.5, (e[1] * w[1] - e[2] * w[0] + e[0] * w[2]) * 0.5};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X&, const Vec<X, 4>& e) {
    return {e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1.0};
  }
};

/// An oscillator in the plane beside a constraint that is always true: (x + y)^2 = x^2 + 2 x y + y^2.
struct Oscillator {
  static constexpr const char* name = "oscillator";
  static constexpr const char* summary = "an oscillator with a constraint that is always true";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "(x + y)^2 = x^2 + 2 x y + y^2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"k", "N/m", 3.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"always", "m^2"}};
  static constexpr TimeGrid time = {.end = 1, .dt = 1e-3};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 1.0;
    q[1] = 0.3;
    w[0] = w[1] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(1.0), X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>&) {
    return {q[0] * -p[0], q[1] * (p[0] * -2.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X&, const Vec<X, 2>& q) {
    return {(q[0] + q[1]) * (q[0] + q[1]) - q[0] * q[0] - q[0] * q[1] * 2.0 - q[1] * q[1]};
  }
};

/// In every way that a system moves: by the reference, interpreted, and compiled.
template <class Stated, class Expect>
void in_every_way(const Expect& expect) {
  const System system = make_system<Stated>();
  for (const Integrator integrator : {Integrator::rk4, Integrator::dop853}) {
    Options options = test::interpreted_options(system);
    options.time = Stated::time;
    options.time.save_every = options.time.steps() / 4;
    options.method.integrator = integrator;
    options.method.pseudo_inverse = PseudoInverse::svd;
    options.fields = {Field::q, Field::w, Field::rank, Field::violation};
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
      options.backend = backend;
      expect(system, run(Ensemble(system, 3), options));
    }
    if (integrator != Integrator::rk4) continue;
    options.compile = Compile::always;
    expect(system, run(Ensemble(system, 3), options));
  }
}

TEST(Identities, AQuaternionsNormIsRestored) {
  in_every_way<FreeBody>([](const System&, const Result& result) {
    for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
      EXPECT_EQ(result.status()[1], Status::ok);
      EXPECT_EQ(result.values("rank", frame)[1], 0);
      EXPECT_LE(result.values("violation", frame)[1], 1e-13) << result.times()[frame];
    }
  });
}

TEST(Identities, AConstraintThatIsAlwaysTrueChangesNothing) {
  in_every_way<Oscillator>([](const System&, const Result& result) {
    EXPECT_EQ(result.status()[1], Status::ok);
    const std::size_t last = result.times().size() - 1;
    EXPECT_EQ(result.values("rank", last)[1], 0);
    EXPECT_NEAR(result.values("x", last)[1], std::cos(std::sqrt(3.0)), 1e-9);
    EXPECT_NEAR(result.values("y", last)[1], 0.3 * std::cos(std::sqrt(6.0)), 1e-9);
  });
}

/// The reference passes the linkages of the other tests too.
template <class Linkage>
void expect_reference_passes() {
  SCOPED_TRACE(Linkage::name);
  const System system = make_system<Linkage>();
  for (const Integrator integrator : {Integrator::rk4, Integrator::dopri5, Integrator::dop853}) {
    Options options = test::interpreted_options(system);
    options.backend = Backend::reference;
    options.method.integrator = integrator;
    options.time = {.start = 0, .end = 0.012, .dt = 1e-3, .save_every = 12};
    options.fields = {Field::q, Field::w};
    constexpr long places = 60;
    Ensemble ensemble(system, places);
    const std::span<double> phase = ensemble.parameter("phase");
    const double nodes[] = {0, 0.25, 0.5, 0.75, 1};
    for (std::size_t i = 0; i < places; ++i) {
      const double part = i < 20 ? (static_cast<double>(i) + 0.5) / 20
                                 : nodes[i % 5] + (i % 2 == 0 ? 1 : -1) * std::pow(10.0, -static_cast<double>(i / 4));
      phase[i] = Linkage::singular_angle - 6e-3 * (static_cast<double>(i % 3) * 2 + part);
    }
    ensemble.restart();
    const Result result = run(ensemble, options);
    for (std::size_t i = 0; i < places; ++i) {
      EXPECT_EQ(result.status()[i], Status::ok) << integrator_name(integrator) << ' ' << i;
      const double angle = phase[i] + 6 * 0.012;
      EXPECT_NEAR(result.values(system.info.coordinates[0].name, 1)[i], Linkage::turns * angle, 1e-9)
          << integrator_name(integrator) << ' ' << i;
    }
  }
}

TEST(SingularPositions, ArePassedByTheReference) {
  expect_reference_passes<test::DrivenRod>();
  expect_reference_passes<test::DrivenCrank>();
  expect_reference_passes<test::DrivenPiston>();
}

}  // namespace
}  // namespace kalaba
