#include "engine/run/saved_instants.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "kalaba/run.hpp"
#include "kalaba/saved_times.hpp"

namespace kalaba {
namespace {

TimeGrid grid(double start, double end, double dt, long save_every = 1) {
  TimeGrid time;
  time.start = start;
  time.end = end;
  time.dt = dt;
  time.save_every = save_every;
  return time;
}

/// The double nearest to the decimal units / 10^digits, by the C library.
double decimal(long units, int digits) {
  return std::strtod((std::to_string(units) + "e-" + std::to_string(digits)).c_str(), nullptr);
}

TEST(SavedTimes, OfTheGridAreDecimals) {
  const TimeGrid time = grid(0, 1, 0.1);
  EXPECT_NE(time.at(3), 0.3);  // what the steps are summed up to
  EXPECT_EQ(saved_times({.time = time}), (std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}));
}

TEST(SavedTimes, OfTheGridAreDecimalsOfEveryStep) {
  constexpr struct {
    long dt;
    int digits;
  } steps[] = {{1, 1}, {1, 2}, {1, 3}, {5, 3}, {2, 4}, {7, 5}, {1, 6}, {3, 9}, {125, 3}};
  for (const auto& [dt, digits] : steps) {
    for (const long first : {0L, 3L, -7L, -1000L, 123'456L}) {
      constexpr long count = 20'000;
      const TimeGrid time = grid(decimal(first, digits), decimal(first + count * dt, digits), decimal(dt, digits));
      for (long step = 0; step <= count; ++step) {
        const double expected = decimal(first + step * dt, digits);
        ASSERT_EQ(grid_time(time, step), expected) << dt << "e-" << digits << " from " << first << ", step " << step;
      }
    }
  }
}

TEST(SavedTimes, OfAStepThatIsNoDecimalStayWithinRounding) {
  const TimeGrid time = grid(0, 1000, 1.0 / 3);
  EXPECT_EQ(grid_time(time, 1), 1.0 / 3);
  EXPECT_EQ(grid_time(time, 2), 2.0 / 3);
  EXPECT_EQ(grid_time(time, 300), 100);
  for (long step = 1; step < 3000; ++step) {
    EXPECT_NEAR(grid_time(time, step), time.at(step), 2 * std::numeric_limits<double>::epsilon() * time.at(step));
    EXPECT_LT(grid_time(time, step - 1), grid_time(time, step));
  }
}

TEST(SavedTimes, AscendWhereStepsAreAsShortAsRounding) {
  const TimeGrid time = grid(1000, 1000 + 1e-9, 1e-12);
  for (long step = 1; step <= time.steps(); ++step) EXPECT_LT(grid_time(time, step - 1), grid_time(time, step));
}

TEST(SavedTimes, OfSaveAtAreThoseAskedFor) {
  const std::vector<double> asked = {0, 0.3, 0.6, 0.65, 0.7, 1.0};
  const Options options = {.time = grid(0, 1, 0.1), .save_at = asked};
  EXPECT_EQ(saved_times(options), asked);
  const std::vector<Saved> saved = saved_instants(options);
  for (const std::size_t i : {0UL, 1UL, 2UL, 4UL, 5UL}) EXPECT_FALSE(saved[i].between) << asked[i];
  EXPECT_TRUE(saved[3].between);
  EXPECT_EQ(saved[1].step, 3);
  EXPECT_EQ(saved[3].step, 6);
}

TEST(SavedTimes, AreBetweenStepsWhereTheyDifferByMoreThanRounding) {
  const auto of = [](double t) { return saved_instants({.time = grid(0, 1, 0.1), .save_at = {t}}).front(); };
  EXPECT_FALSE(of(std::nextafter(0.7, 1)).between);
  EXPECT_TRUE(of(0.7 + 1e-10).between);
  EXPECT_EQ(of(0.7 + 1e-10).step, 7);
  EXPECT_TRUE(of(0.7 - 1e-10).between);
  EXPECT_EQ(of(0.7 - 1e-10).step, 6);
  EXPECT_EQ(of(-1e-13).step, 0);  // before the start by rounding
  EXPECT_EQ(of(1 + 1e-13).step, 10);
  EXPECT_FALSE(of(1 + 1e-13).between);
}

TEST(ReportedTimes, AreThoseOfTheStepsAndStayOnTheirSide) {
  for (const double dt : {0.1, 1e-3, 1.0 / 3, 0.07}) {
    const TimeGrid time = grid(-0.3, -0.3 + 400 * dt, dt);
    for (long step = 1; step < 400; ++step) {
      const double at = time.at(step);
      const double reported = grid_time(time, step);
      EXPECT_EQ(reported_time(time, at), reported);
      EXPECT_LT(reported_time(time, std::nextafter(at, -1e9)), reported);
      EXPECT_GT(reported_time(time, std::nextafter(at, 1e9)), reported);
      EXPECT_EQ(reported_time(time, at + 0.25 * dt), at + 0.25 * dt);
    }
  }
  EXPECT_TRUE(std::isnan(reported_time(grid(0, 1, 0.1), std::nan(""))));
}

}  // namespace
}  // namespace kalaba
