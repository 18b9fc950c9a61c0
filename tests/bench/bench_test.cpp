#include <gtest/gtest.h>

#include <cmath>

#include "backend/compiled/counted.hpp"
#include "bench/json.hpp"
#include "bench/measure.hpp"
#include "bench/operations.hpp"
#include "bench/phased_run.hpp"
#include "kalaba/ensemble.hpp"
#include "scenario/scenario.hpp"

// Measurements must count exactly what they report, and have no figures for failed runs.

namespace kalaba::bench {
namespace {

Subject subject_of(const Ensemble& ensemble, Backend backend) {
  Options options = default_options(ensemble.system());
  options.backend = backend;
  options.threads = 1;
  return {&ensemble.system(), &ensemble, options, 0, 0.02};
}

TEST(Counted, CountsEachKindAndComputesAsDoublesDo) {
  operations = {};
  const Counted x(3);
  const Counted y(2.5);
  const Counted z = select(x < y, x + y, fma(x, y, -x)) / sqrt(y) - sin(x) * rsqrt(x);
  EXPECT_DOUBLE_EQ(z.value, std::fma(3, 2.5, -3) / std::sqrt(2.5) - std::sin(3.0) / std::sqrt(3.0));
  const Operations& counts = operations;
  EXPECT_EQ(counts.additions, 2);
  EXPECT_EQ(counts.multiplications, 1);
  EXPECT_EQ(counts.fused, 1);
  EXPECT_EQ(counts.divisions, 1);
  EXPECT_EQ(counts.roots, 2);
  EXPECT_EQ(counts.choices, 2);
  EXPECT_EQ(counts.functions, 1);
  EXPECT_EQ(counts.flops(), 2 + 1 + 2 * 1 + 1 + 2 + 1);
}

double flops_of_step(const System& system, PseudoInverse by, const Stabilization& stabilization) {
  Options options = default_options(system);
  options.method.pseudo_inverse = by;
  options.method.stabilization = stabilization;
  const auto counted = operations_of_step(system, options);
  return counted ? counted->flops() : std::nan("");
}

TEST(Operations, OfAStepGrowWithWhatIsAsked) {
  const System& pendulum = find_system("spherical_pendulum");
  EXPECT_LT(flops_of_step(pendulum, PseudoInverse::svd, Stabilization::none()),
            flops_of_step(pendulum, PseudoInverse::svd, Stabilization::projection()));
  double dense = 0;
  double sparse = 0;
  for (const int links : {4, 8, 16}) {
    const System& chain = find_system("chain", {{"links", links}});
    const double by_svd = flops_of_step(chain, PseudoInverse::svd, Stabilization::none());
    const double by_ldlt = flops_of_step(chain, PseudoInverse::ldlt, Stabilization::none());
    EXPECT_GT(by_svd, 4 * dense);                            // a cube, or nearly
    EXPECT_LT(by_ldlt, links == 4 ? by_svd : 2.3 * sparse);  // linear
    dense = by_svd;
    sparse = by_ldlt;
  }
}

TEST(Operations, AreThoseOfOneCount) {
  const System& edge = find_system("knife_edge");
  const double each = flops_of_step(edge, PseudoInverse::svd, Stabilization::none());
  EXPECT_GT(each, 50);
  EXPECT_EQ(flops_of_step(edge, PseudoInverse::svd, Stabilization::none()), each);
}

TEST(Operations, OfAdaptiveStepsAreNotCounted) {
  Options options = default_options(find_system("knife_edge"));
  options.method.integrator = Integrator::dopri5;
  EXPECT_FALSE(operations_of_step(find_system("knife_edge"), options));
}

TEST(Peak, ShareIsOperationsAtTheMeasuredSpeedOverThePeak) {
  Measurement measured;
  measured.steps_per_second = 3e6;
  measured.peak_flops = 6e9;
  EXPECT_FALSE(measured.peak_share()) << "the operations are not counted";
  measured.step_flops = 500;
  EXPECT_DOUBLE_EQ(measured.peak_share().value(), 0.25);
  measured.peak_flops = 0;
  EXPECT_FALSE(measured.peak_share()) << "the peak is not known";
}

// No lower bound: other programs may use this machine too. No step takes more than the peak.
TEST(Peak, ShareOfAMeasurementIsAtMostOne) {
  EXPECT_GT(peak_flops(Precision::double_precision, 1), 1e8);
  const System& system = find_system("two_particles_incline");
  const Measurement measured = measure(subject_of(Ensemble(system, 256), Backend::cpu));
  const auto counted = operations_of_step(system, measured.options);
  ASSERT_TRUE(counted);
  EXPECT_EQ(measured.step_flops, counted->flops());
  EXPECT_GT(measured.peak_share().value(), 0);
  EXPECT_LT(measured.peak_share().value(), 1);
}

TEST(Measure, FillsEveryFigureOnEveryBackend) {
  const Ensemble ensemble(find_system("knife_edge"), 100);
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    const Measurement measured = measure(subject_of(ensemble, backend));
    EXPECT_EQ(measured.failure, "");
    EXPECT_EQ(measured.system, "knife_edge");
    EXPECT_GE(measured.repeats, 5);
    EXPECT_GT(measured.members, 0);
    EXPECT_LE(measured.members, 100);
    EXPECT_EQ(measured.whole_steps, ensemble.system().info.time.steps());
    EXPECT_GT(measured.steps_per_second, 0);
    EXPECT_NEAR(measured.members_per_second * measured.phases.total(), 1, 1e-12);
    for (const double phase :
         {measured.phases.sampling, measured.phases.start, measured.phases.advance, measured.phases.observe}) {
      EXPECT_GT(phase, 0);
    }
    EXPECT_GE(measured.bytes_per_member, 8 * 8);
    EXPECT_EQ(measured.peak_share().has_value(), backend == Backend::cpu);
  }
}

/// Two carts with a constant acceleration u, which is the parameter p, and a counter of the ticks of a clock.
Scenario carts(const std::string& backend) {
  constexpr const char* text = R"(
[solver]
compile = "never"
threads = 1
[parameters]
p = { values = [1, 2] }
[time]
end = 0.1
dt = 0.01
[model]
name = "cart"
[model.parameters]
p = "3 m/s^2"
[model.discrete]
u = { start = "p", unit = "m/s^2" }
n = 0
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "u"
[[model.clocks]]
name = "counter"
every = 0.03
set = { n = "n + 1" }
)";
  return load_scenario_text(text, "cart.toml", {"solver.backend=" + backend});
}

TEST(Measure, RunsWithClocksAndWithTheDiscreteStartOfEachMember) {
  for (const char* backend : {"cpu", "reference"}) {
    const Scenario scenario = carts(backend);
    const Subject subject = {scenario.system.get(), scenario.source.get(), scenario.options, 2, 0.01};
    PhasedRun run(subject);
    run.run(2, 10);
    EXPECT_EQ(run.failure(), "");
    Block end = run.block();
    for (std::size_t member = 0; member < 2; ++member) {
      const double p = 1.0 + static_cast<double>(member);
      EXPECT_EQ(end.parameter(1)[member], p) << backend;
      EXPECT_EQ(end.parameter(2)[member], 4) << backend;  // at 0, 0.03, 0.06 and 0.09 s
      EXPECT_NEAR(end.coordinate(0)[member], 0.005 * p, 1e-15) << backend;
    }
    EXPECT_EQ(measure(subject).failure, "");
  }
}

TEST(Measure, RefusesWhatARunRefuses) {
  const Scenario scenario = carts("reference");
  Subject subject = {scenario.system.get(), scenario.source.get(), scenario.options, 2, 0.01};
  subject.options.method.integrator = Integrator::taylor;
  EXPECT_THROW(PhasedRun{subject}, Error);
}

TEST(Measure, HasNoFiguresWhereMembersFail) {
  Ensemble ensemble(find_system("knife_edge"), 16);
  ensemble.initial(ensemble.system().info.coordinates.front().name)[3] = std::nan("");
  const Measurement measured = measure(subject_of(ensemble, Backend::cpu));
  EXPECT_EQ(measured.failure, "1 of 16 members failed, the first by non_finite at 0 s");
  EXPECT_EQ(measured.steps_per_second, 0);
  const std::string text = json_row(measured, {}).text();
  EXPECT_NE(text.find("\"member_steps_per_second\": null"), std::string::npos);
}

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(Json, EscapesTextAndHasNullForWhatIsNoNumber) {
  JsonObject object;
  object.add("a \"b\"", "line\n\\");
  object.add("x", std::nan(""));
  object.add("n", 3L);
  EXPECT_EQ(object.text(), R"({"a \"b\"": "line\u000a\\", "x": null, "n": 3})");
}

}  // namespace
}  // namespace kalaba::bench
