// Taylor series: agreement with an independent integrator for the whole catalogue, tolerance, order of events, failures
// and refusals.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "adaptive/bead_runs.hpp"
#include "events/systems.hpp"
#include "hybrid/hybrid.hpp"
#include "kalaba/error.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

using adaptive::bits;
using adaptive::error_of;
using adaptive::steps_of;

constexpr adaptive::Way by_taylor = {Backend::cpu, Integrator::taylor};

Options taylor_options(const System& system, double tolerance = 1e-8) {
  Options options = adaptive::adaptive_options(system, by_taylor, tolerance);
  options.compile = Compile::always;
  return options;
}

std::vector<std::string> names_of_catalogue() {
  std::vector<std::string> names;
  for (const System& system : catalogue()) {
    const bool is_new = names.empty() || names.back() != system.info.name;  // the first structure of each
    if (system.info.agents == 0 && is_new) names.push_back(system.info.name);
  }
  return names;
}

/// The coefficients of the powers of the time are in its own unit: those in s would leave the range of double.
TEST(Taylor, MovesByTheSameNumbersInAnyUnitOfTime) {
  const std::string driven = R"(
[model]
name = "driven"
lagrangian = "(x_dot^2 + y_dot^2)/2 - g*y"
[model.parameters]
g = 9.81
T = 1.0
[model.coordinates]
x = ""
y = ""
[model.force]
x = "-x_dot/T"
[model.holonomic]
wire = "x^2 + y^2 = (1 + 0.2*sin(3*t/T))^2"
[model.start]
x = 0.6
y = -0.8
x_dot = "1/T"
)";
  const auto end_of = [&](double T) {
    const auto number = [](double value) { return fmt::format("{:.17e}", value); };
    const Result result =
        hybrid::run_text(driven, {"solver.backend=cpu", "solver.integrator=taylor", "solver.relative_tolerance=1e-12",
                                  "solver.absolute_tolerance=1e-200", "parameters.T=" + number(T),
                                  "parameters.g=" + number(9.81 / (T * T)), "initial.x_dot=" + number(1 / T),
                                  "time.end=" + number(2 * T), "time.dt=" + number(0.01 * T),
                                  "time.save_at=[0, " + number(1.3 * T) + ", " + number(2 * T) + "]"});
    EXPECT_EQ(result.status()[0], Status::ok) << T;
    std::vector<double> numbers;
    for (const std::size_t frame : {1, 2}) {
      numbers.push_back(result.values("x", frame)[0]);
      numbers.push_back(result.values("y", frame)[0]);
      numbers.push_back(result.values("x_dot", frame)[0] * T);
    }
    return numbers;
  };
  const std::vector<double> expected = end_of(1);
  for (const double T : {0x1p-40, 0x1p40, 1e-18, 1e18}) {
    const std::vector<double> found = end_of(T);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10) << T << ' ' << i;
  }
}

class TaylorCatalogue : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, TaylorCatalogue, testing::ValuesIn(names_of_catalogue()),
                         [](const auto& test) { return test.param; });

/// The reference integrates independently, with 12 evaluations a step by Eigen. Motions that pass singular positions or
/// are sensitive end early, so that rounding errors do not grow.
TEST_P(TaylorCatalogue, AgreesWithTheReference) {
  const System& system = find_system(GetParam());
  Options options = default_options(system);
  options.threads = 1;
  options.save_at = {};
  options.time.save_every = 0;
  options.time.end = options.time.start + 0.2 * (options.time.end - options.time.start);
  options.method.integrator = Integrator::taylor;
  options.method.relative_tolerance = 1e-10;
  options.method.absolute_tolerance = 1e-11;
  options.method.max_steps = 200'000;
  options.backend = Backend::cpu;
  options.compile = Compile::always;
  options.fields = {Field::q, Field::w};
  const Result ours = run(Ensemble(system, 1), options);
  options.backend = Backend::reference;
  options.method.integrator = Integrator::dop853;
  const Result theirs = run(Ensemble(system, 1), options);
  ASSERT_EQ(ours.status()[0], theirs.status()[0]) << status_name(ours.status()[0]);
  const std::size_t last = theirs.times().size() - 1;
  double largest = 1;
  const auto each_number = [&](const auto& visit) {
    for (const auto* part : {&system.info.coordinates, &system.info.rates}) {
      for (const Variable& each : *part) visit(each.name);
    }
  };
  each_number([&](const std::string& name) { largest = std::max(largest, std::abs(theirs.values(name, last)[0])); });
  each_number([&](const std::string& name) {
    EXPECT_NEAR(ours.values(name, last)[0], theirs.values(name, last)[0], 1e-6 * largest) << name;
  });
}

TEST(Taylor, TheErrorFollowsTheTolerance) {
  for (const auto stabilization :
       {Stabilization::none(), Stabilization::projection(), Stabilization::baumgarte(3, 2)}) {
    double before = 1;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      Options options = taylor_options(adaptive::beads(), tolerance);
      options.method.stabilization = stabilization;
      const double error = error_of(run(adaptive::bead_ensemble(0, 1), options));
      EXPECT_LE(error, 100 * tolerance);
      EXPECT_LT(error, 0.2 * before);
      before = error;
    }
  }
}

TEST(Taylor, ASmallerToleranceRaisesTheOrderAndNotTheNumberOfSteps) {
  const auto steps = [](double tolerance) {
    return steps_of(adaptive::bead_ensemble(28, 1), taylor_options(adaptive::beads(), tolerance)).accepted[0];
  };
  EXPECT_LE(steps(1e-12), 1.3 * steps(1e-6));
}

TEST(Taylor, TheStepsDoNotDependOnTheUnitOfTime) {
  const auto steps = [](double omega) {
    Ensemble ensemble(adaptive::beads(), 1);
    ensemble.parameter("omega")[0] = omega;
    ensemble.restart();
    Options options = taylor_options(adaptive::beads());
    options.method.absolute_tolerance = 1e-300;
    options.time.end = 20 / omega;
    options.time.dt = options.time.end / 64;
    options.time.save_every = 0;
    return steps_of(ensemble, options).accepted[0];
  };
  const double usual = steps(1);
  EXPECT_NEAR(steps(1e6), usual, 2);
  EXPECT_NEAR(steps(1e-6), usual, 2);
}

TEST(Taylor, SavedTimesHoldTheConstraintsAndDoNotChangeTheMotion) {
  Options options = taylor_options(adaptive::beads(), 1e-10);
  const Result usual = run(adaptive::bead_ensemble(0, 11), options);
  options.save_at = {0.001, 0.5, 1.7321, 3.99, 4};
  const Result anywhere = run(adaptive::bead_ensemble(0, 11), options);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(bits(usual, 4, i), bits(anywhere, 4, i));
  EXPECT_LE(error_of(anywhere), 1e-8);
  for (std::size_t frame = 0; frame < 5; ++frame) EXPECT_LE(anywhere.values("violation", frame)[0], 1e-14);
}

TEST(Taylor, AMemberDoesNotDependOnItsNeighbours) {
  const Options options = taylor_options(adaptive::beads());
  const Result together = run(adaptive::bead_ensemble(0, 11), options);
  for (long i = 0; i < 11; ++i) {
    const Result alone = run(adaptive::bead_ensemble(i, 1), options);
    EXPECT_EQ(bits(alone, 4, 0), bits(together, 4, static_cast<std::size_t>(i))) << i;
  }
}

TEST(Taylor, AMemberThatDivergesFailsAloneAndInTime) {
  Ensemble ensemble(adaptive::runaways(), 9);
  for (std::size_t i = 0; i < 9; ++i) ensemble.parameter("pole")[i] = i == 4 ? 0.875 : 3.0 + static_cast<double>(i);
  ensemble.restart();
  Options options = taylor_options(adaptive::runaways());
  options.fields = {Field::q, Field::w};
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.summary.failed(), 1);
  EXPECT_EQ(result.status()[4], Status::step_too_small) << status_name(result.status()[4]);
  EXPECT_NEAR(result.failure_time()[4], 0.875, 1e-6);
  for (std::size_t i = 0; i < 9; ++i) {
    if (i == 4) continue;
    EXPECT_NEAR(result.values("x", 8)[i], 1 / (1.0 + static_cast<double>(i)), 1e-6) << i;
  }
  options.method.max_steps = 3;
  EXPECT_EQ(run(ensemble, options).status()[4], Status::too_many_steps);
}

TEST(Taylor, FindsEventsOnThePolynomial) {
  Options options = taylor_options(events::beads(), 1e-11);
  options.method.absolute_tolerance = 1e-13;
  options.events = {{"left", "x", Crossing::any, EventAction::record}};
  const Result result = run(events::turning_beads(11), options);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_NEAR(result.event_time("left")[i] * events::speed(i), std::numbers::pi / 2, 2e-10) << i;
    EXPECT_NEAR(result.event_state("left", "y")[i], 1, 1e-12) << "on the ring, " << i;
  }
}

/// A particle whose force contains every smooth function, quotients and powers.
struct Functions {
  static constexpr const char* name = "functions";
  static constexpr const char* summary = "a force of many functions";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "x'' = f(x, x', t)";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"kink", "1", 0.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / 64, .save_every = 16};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.3;
    q[1] = 0.7;
    w[0] = 0.2;
    w[1] = -0.4;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 2>& q) {
    return Diagonal<X, 2>{{X(1.0) + q[0] * q[0], X(2.0) + sin(q[1])}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P&, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X u = X(2.0) + sin(q[0]) * cos(t);
    const X v = atan2(q[1], u) + asin(X(0.3) * cos(q[1])) + acos(X(0.3) * sin(w[0])) + atan(w[1]);
    const X x = exp(-q[0]) - log(u) + tan(X(0.3) * cos(q[1])) + sqrt(u) + X(1.0) / (u * u * u) + w[0] * w[1] / u;
    return {x - q[0] * X(3.0), v - q[1] * X(3.0) - u * u * u * u};
  }
};
/// Two events, of which one is the top of a throw within a hundred-thousandth of its height.
TEST(Taylor, FindsTwoEventsBesideATurningPoint) {
  const std::string text = R"toml(
[time]
end = 1.0
dt = 0.01
[model]
name = "throw"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = 1
g = 10
[model.coordinates]
y = "1"
[model.start]
y = 0
y_dot = 3
[[model.events]]
name = "ceiling"
when = "0.4499955 - y"
action = "record"
[[model.events]]
name = "half"
when = "y - 0.25"
direction = "falling"
action = "record"
)toml";
  const Result result =
      hybrid::run_text(text, std::vector<std::string>{"solver.integrator=taylor", "solver.compile=always"});
  EXPECT_EQ(result.event_count("ceiling")[0], 2);
  EXPECT_NEAR(result.event_time("ceiling")[0], (3 - std::sqrt(9 - 20 * 0.4499955)) / 10, 1e-9);
  EXPECT_NEAR(result.event_last_time("ceiling")[0], (3 + std::sqrt(9 - 20 * 0.4499955)) / 10, 1e-9);
  EXPECT_NEAR(result.event_time("half")[0], (3 + 2) / 10.0, 1e-12);
}

TEST(Taylor, EveryFunctionFollowsFromItsDerivative) {
  const System system = make_system<Functions>();
  Options options = taylor_options(system, 1e-12);
  options.fields = {Field::q, Field::w};
  const Result ours = run(Ensemble(system, 1), options);
  options.backend = Backend::reference;
  options.method.integrator = Integrator::dop853;
  const Result theirs = run(Ensemble(system, 1), options);
  ASSERT_EQ(ours.status()[0], Status::ok);
  for (const char* variable : adaptive::state) {
    EXPECT_NEAR(ours.values(variable, 8)[0], theirs.values(variable, 8)[0], 1e-10) << variable;
  }
}

/// Bricard's ring: 30 rows of rank 29, quaternions, quasi-velocities.
TEST(Taylor, RedundantRowsTakeOneFactorizationAStep) {
  const System& system = find_system("bricard_loop");
  Options options = default_options(system);
  options.method.integrator = Integrator::taylor;
  options.method.relative_tolerance = 1e-13;
  options.method.absolute_tolerance = 1e-14;
  options.backend = Backend::cpu;
  options.compile = Compile::always;
  options.time.end = options.time.start + 5;
  options.time.save_every = 0;
  options.fields = {Field::q, Field::w, Field::energy, Field::rank};
  const Ensemble ensemble(system, 1);
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.status()[0], Status::ok);
  EXPECT_LE(result.summary.drift.energy, 1e-11);
  EXPECT_LE(steps_of(ensemble, options).accepted[0], 80);
}

TEST(Taylor, RunsInSinglePrecision) {
  Options options = taylor_options(adaptive::beads(), 2e-5);
  options.precision = Precision::single_precision;
  const Result result = run(adaptive::bead_ensemble(0, 11), options);
  EXPECT_EQ(result.summary.failed(), 0);
  EXPECT_LE(error_of(result), 1e-3);
}

TEST(Taylor, RefusesByName) {
  const System& system = find_system("spherical_pendulum");
  const auto expect = [&](const System& of, const Options& options, const std::string& words) {
    const std::string message = test::error_of([&] { run(Ensemble(of, 1), options); }).what();
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_NE(message.find("use \"dop853\""), std::string::npos) << message;
  };
  Options options = taylor_options(system);
  options.backend = Backend::reference;
  expect(system, options, "runs on the backends \"cpu\" and \"cuda\", not on \"reference\"");
  options = taylor_options(system);
  options.threads_per_member = 4;
  expect(system, options, "does not support threads_per_member");
  options = taylor_options(system);
  options.compile = Compile::never;
  expect(system, options, "needs compiled code");
}

}  // namespace
}  // namespace kalaba
