#include <gtest/gtest.h>

#include <cmath>

#include "bench/counted.hpp"
#include "bench/json.hpp"
#include "bench/measure.hpp"
#include "bench/peak.hpp"
#include "kalaba/ensemble.hpp"

// Measurements must count what they say, and have no figures for what failed.

namespace kalaba::bench {
namespace {

Subject subject_of(const Ensemble& ensemble, Backend backend) {
  Options options = default_options(ensemble.system());
  options.backend = backend;
  options.threads = 1;
  return {&ensemble.system(), &ensemble, options, 0, 0.02};
}

TEST(Counted, CountsEachKindAndComputesAsDoublesDo) {
  Counted::tally() = {};
  const Counted x(3);
  const Counted y(2.5);
  const Counted z = select(x < y, x + y, fma(x, y, -x)) / sqrt(y) - sin(x) * rsqrt(x);
  EXPECT_DOUBLE_EQ(z.value(), std::fma(3, 2.5, -3) / std::sqrt(2.5) - std::sin(3.0) / std::sqrt(3.0));
  const Operations& counts = Counted::tally();
  EXPECT_EQ(counts.additions, 2);
  EXPECT_EQ(counts.multiplications, 1);
  EXPECT_EQ(counts.fused, 1);
  EXPECT_EQ(counts.divisions, 1);
  EXPECT_EQ(counts.roots, 2);
  EXPECT_EQ(counts.choices, 2);
  EXPECT_EQ(counts.functions, 1);
  EXPECT_EQ(counts.flops(), 2 + 1 + 2 * 1 + 1 + 2 + 1);
}

TEST(Operations, OfAStepGrowWithWhatIsAsked) {
  const Method plain = {.stabilization = Stabilization::none()};
  const Method projecting = {.stabilization = Stabilization::projection()};
  const System& pendulum = find_system("spherical_pendulum");
  EXPECT_LT(operations_of_step(pendulum, plain)->flops(), operations_of_step(pendulum, projecting)->flops());
  double smaller = 0;
  for (const int links : {4, 8, 16}) {
    const double flops = operations_of_step(find_system("chain", {{"links", links}}), plain)->flops();
    EXPECT_GT(flops, 4 * smaller);  // a cube, or nearly
    smaller = flops;
  }
  EXPECT_FALSE(operations_of_step(find_system("knife_edge"), plain));
}

// No bound on a wall clock: a machine that others use too keeps none.
TEST(Peak, IsWhatAShareIsOf) {
  EXPECT_GT(peak_flops(Precision::double_precision, 1), 0);
  const Ensemble ensemble(find_system("two_particles_incline"), 256);
  const Measurement measured = measure(subject_of(ensemble, Backend::cpu));
  ASSERT_TRUE(measured.step_flops);
  EXPECT_GT(measured.peak_flops, 0);
  EXPECT_DOUBLE_EQ(*measured.peak_share(), *measured.step_flops * measured.steps_per_second / measured.peak_flops);
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
    EXPECT_FALSE(measured.peak_share());  // its operations are not counted
  }
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
