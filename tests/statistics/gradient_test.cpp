#include <gtest/gtest.h>

#include <cmath>

#include "engine/statistics/slope_sample.hpp"
#include "kalaba/error.hpp"
#include "kalaba/statistics.hpp"
#include "statistics/all_kinds.hpp"
#include "statistics/plain.hpp"

namespace kalaba {
namespace {

double weyl(long member, double step = 0.7548776662466927) { return std::fmod(step * static_cast<double>(member), 1); }

/// A cart whose coordinates are far from zero, with derivatives that follow them; of every seventh member there is
/// none.
double number(Field field, std::size_t component, long member, double time) {
  if (field == Field::q) return 1e3 + static_cast<double>(component) + std::sin(6 * weyl(member)) * (1 + time);
  if (member % 7 == 3) return nan_number;
  return static_cast<double>(component) * weyl(member) + std::cos(6 * weyl(member)) + weyl(member, 0.5698402909980532);
}

FakeRun cart_with_gradients(long members) {
  FakeRun run;
  run.members = members;
  run.block_members = members;
  run.system.sensitivities = {{"parameters.m", "kg", 0, ""}, {"parameters.time", "s", 0, ""}};
  run.fields = {Field::q, Field::w, Field::q_sensitivity};
  run.statistics = {.kinds = {Statistic::quantiles, Statistic::gradient}, .quantiles = {0.1, 0.5}};
  run.value = number;
  run.status = fails_later;
  return run;
}

/// d(mean, variance, std) of the members that count, in two passes and in long double.
struct Plain {
  double count = 0;
  double mean = 0;
  double variance = 0;
  double std = 0;
};
Plain plain_gradient(const FakeRun& run, std::size_t along, std::size_t component, double time) {
  std::vector<long double> x, slope;
  for (long member = 0; member < run.members; ++member) {
    const double derivative = run.value(Field::q_sensitivity, along * 3 + component, member, time);
    if (run.status(member, time) != Status::ok || !std::isfinite(derivative)) continue;
    x.push_back(run.value(Field::q, component, member, time));
    slope.push_back(derivative);
  }
  const auto n = static_cast<long double>(x.size());
  long double mean = 0, mean_slope = 0, square = 0, product = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean += x[i] / n;
    mean_slope += slope[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    square += (x[i] - mean) * (x[i] - mean) / n;
    product += (x[i] - mean) * (slope[i] - mean_slope) / n;
  }
  return {static_cast<double>(n), static_cast<double>(mean_slope), static_cast<double>(2 * product),
          static_cast<double>(product / std::sqrt(square))};
}

TEST(Gradients, AreThoseOfTheMembersThatCountAndHaveDerivatives) {
  const FakeRun run = cart_with_gradients(12'345);
  const EnsembleStatistics found = statistics_of(run);
  EXPECT_EQ(found.along, (std::vector<std::string>{"parameters.m", "parameters.time"}));
  const FieldStatistics& q = found.fields[0];
  ASSERT_EQ(q.variance_gradient.size(), 2U * 3U * 3U);
  for (std::size_t along = 0; along < 2; ++along) {
    for (std::size_t place = 0; place < 9; ++place) {
      const Plain plain = plain_gradient(run, along, place % 3, run.times[place / 3]);
      EXPECT_EQ(q.gradient_count[place], plain.count);
      EXPECT_LT(q.gradient_count[place], q.count[place]);
      EXPECT_NEAR(q.mean_gradient[along * 9 + place], plain.mean, 1e-13);
      EXPECT_NEAR(q.variance_gradient[along * 9 + place], plain.variance, 1e-12);
      EXPECT_NEAR(q.std_gradient[along * 9 + place], plain.std, 1e-12);
    }
  }
  EXPECT_TRUE(found.fields[1].variance_gradient.empty());  // w, without its sensitivity
}

TEST(Gradients, OfWhatIsTheSameForAllAreOfMeansAlone) {
  FakeRun run = cart_with_gradients(300);
  run.value = [](Field field, std::size_t, long member, double) { return field == Field::q ? 2.5 : weyl(member); };
  const FieldStatistics q = statistics_of(run).fields[0];
  EXPECT_GT(q.mean_gradient[0], 0);
  EXPECT_EQ(q.variance_gradient[0], 0);
  EXPECT_TRUE(std::isnan(q.std_gradient[0]));
  EXPECT_NEAR(q.quantile_gradient[0], q.mean_gradient[0], 1e-14);
}

TEST(Gradients, AreNoneWhereNoMemberHasDerivatives) {
  FakeRun run = cart_with_gradients(300);
  run.value = [](Field field, std::size_t, long member, double) {
    return field == Field::q ? weyl(member) : nan_number;
  };
  const FieldStatistics q = statistics_of(run).fields[0];
  EXPECT_EQ(q.gradient_count[0], 0);
  EXPECT_TRUE(std::isnan(q.mean_gradient[0]) && std::isnan(q.quantile_gradient[0]));
  EXPECT_FALSE(std::isnan(q.quantiles[0]));
}

/// x = p u with u uniform: a quantile moves by itself over p.
TEST(GradientsOfQuantiles, OfWhatIsProportionalAreExact) {
  FakeRun run = cart_with_gradients(5'000);
  run.value = [](Field field, std::size_t, long member, double) { return (field == Field::q ? 3 : 1) * weyl(member); };
  const EnsembleStatistics found = statistics_of(run);
  const FieldStatistics& q = found.fields[0];
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t at = 0; at < 18; ++at) {
      EXPECT_NEAR(q.quantile_gradient[i * 18 + at], q.quantiles[i * 9 + at % 9] / 3, 1e-14) << at;
    }
  }
}

/// dx/dp = x^2 and noise: the mean of those near the quantile. The second run keeps 256 members for it.
TEST(GradientsOfQuantiles, AreMeansOfTheMembersThere) {
  for (const double memory : {256e6, 0.0}) {
    FakeRun run = cart_with_gradients(40'000);
    run.fields = {Field::energy, Field::energy_sensitivity};
    run.times = {0};
    run.statistics.quantiles = {0, 0.1, 0.5, 1};
    run.value = [](Field field, std::size_t, long member, double) {
      const double x = weyl(member);
      return field == Field::energy ? x : x * x + weyl(member, 0.5698402909980532) - 0.5;
    };
    run.status = [](long, double) { return Status::ok; };
    if (memory == 0) {
      RunInfo info = run.info();
      for (double bytes = 1e5; bytes < 1e7; bytes *= 1.2) {  // the least that they take
        info.options.memory_budget = run.memory = bytes;
        try {
          if (plan_statistics(*info.system, info.options, run.members, 1).kept == 64) break;
        } catch (const Error&) {
        }
      }
    }
    const StatisticsPlan plan = plan_statistics(run.system, run.info().options, run.members, 1);
    EXPECT_DOUBLE_EQ(plan.slope_share, (memory == 0 ? 256 : 16'384) / 40'000.0);
    const FieldStatistics energy = statistics_of(run).fields[0];
    const double tolerance = memory == 0 ? 0.1 : 0.03;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(energy.quantile_gradient[2 * i], energy.quantiles[i] * energy.quantiles[i], tolerance) << memory;
    }
  }
}

TEST(SlopeSample, TakesItsShareOfMembersWhateverTheirOrder) {
  constexpr std::size_t members = 100'000;
  const std::vector<double> ones(members, 1.0);
  const double* const rows[] = {ones.data()};
  SlopeSample sample(1, 0.01);
  sample.add(ones, rows);
  StateWriter state;
  sample.save(state);
  const double chosen = static_cast<double>(std::move(state).bytes().size() - 16) / 16;
  EXPECT_NEAR(chosen, 1000, 100);
}

TEST(Gradients, AreRefusedWithoutSensitivities) {
  FakeRun run = cart_with_gradients(10);
  run.fields = {Field::q, Field::w_sensitivity};
  try {
    statistics_of(run);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "statistics: expected a field and its sensitivity, such as q and q_sensitivity, to take gradients of; "
                 "found none");
  }
}

}  // namespace
}  // namespace kalaba
