// One step that is watched: how many looks it takes to find a zero, how near they come, and what is none.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "backend/reference/events.hpp"
#include "kalaba/core/watch.hpp"
#include "kalaba/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace {

constexpr double tolerance = 4 * Limits<double>::epsilon;

Watch watch_for(const std::string& when, Crossing direction = Crossing::any) {
  return watch_of({{"zero", when, direction, EventAction::record}}, SystemInfo{});
}

struct Watched {
  std::vector<double> looks;  ///< parts of the step
  std::vector<double> found;  ///< times
  std::vector<int> events;    ///< which they are
};

/// A step from t = 0 to 1 on which nothing moves but time.
struct Clock {
  Watched& watched;

  StateView<double> look(double part) const {
    watched.looks.push_back(part);
    return {part, nullptr, nullptr};
  }
  void record(int event, bool counts, const StateView<double>& seen) const {
    EXPECT_TRUE(counts);
    watched.events.push_back(event);
    watched.found.push_back(seen.t);
  }
};

/// What is found in this step.
Watched watched(const Watch& watch) {
  double before[Watch::most_events];
  double after[Watch::most_events];
  watch_values<double>(watch, nullptr, {0, nullptr, nullptr}, before);
  watch_values<double>(watch, nullptr, {1, nullptr, nullptr}, after);
  Watched result;
  watch_step<double>(Solo{}, watch, nullptr, true, before, after, tolerance, Clock{result});
  return result;
}
Watched watched(const std::string& when) { return watched(watch_for(when)); }

/// The times that the reference finds.
std::vector<double> by_reference(const std::string& when) {
  const auto at = [](double t) {
    reference::Instant x;
    x.t = t;
    return x;
  };
  std::vector<double> times;
  const auto nothing = [](const reference::Instant&) { return reference::Vector(); };
  for (const auto& each : reference::happenings(watch_for(when), at(0), at(1), at, nothing)) times.push_back(each.at.t);
  return times;
}

struct Zero {
  const char* when;
  double t;
  std::size_t looks;  ///< at most; the last one is at the zero
};

const Zero zeros[] = {
    {"t - 0.3", 0.3, 13},
    {"0.7 - t", 0.7, 13},
    {"t - 0.999999", 0.999999, 13},
    {"t - 1e-9", 1e-9, 13},
    {"t^2 - 0.3", std::sqrt(0.3), 13},
    {"0.0001 - t^2", 0.01, 15},
    {"exp(t) - 1.9", std::log(1.9), 13},
    {"log(t + 0.1)", 0.9, 13},
    {"cos(2 * t)", std::atan(1), 13},
    {"t^3 + t - 1", 0.68232780382801933, 13},
    {"1 - 2 / (1 + exp(200 * (t - 0.3)))", 0.3, 18},  // tanh
    {"1 - 2 / (1 + exp(700 * (t - 0.9)))", 0.9, 18},
    {"(t - 0.3) / abs(t - 0.3)^(2/3)", 0.3, 44},  // the cube root
    {"(t - 0.3)^3", 0.3, 54},                     // as flat as this they take bisection's time
    {"1 - 2 / (1 + exp(1e5 * (t - 0.3)))", 0.3, 54},
};

TEST(Watching, FindsZerosInFewLooks) {
  for (const Zero& zero : zeros) {
    const Watched result = watched(zero.when);
    ASSERT_EQ(result.found.size(), 1U) << zero.when;
    EXPECT_NEAR(result.found.front(), zero.t, 1.5 * tolerance) << zero.when;
    EXPECT_LE(result.looks.size(), zero.looks) << zero.when;
    EXPECT_EQ(result.looks.back(), result.found.front()) << zero.when;
  }
}

/// The value where it is not what the step begins with: negative before the zero.
double risen(const std::string& when, double t) {
  const Watch watch = watch_for(when);
  double values[] = {0, 0};
  watch_values<double>(watch, nullptr, {0, nullptr, nullptr}, &values[0]);
  watch_values<double>(watch, nullptr, {t, nullptr, nullptr}, &values[1]);
  return values[0] < 0 ? values[1] : -values[1];
}

TEST(Watching, LooksWithinItsBracket) {
  for (const char* when : {"t - 0.3", "1 / (t - 0.3)", "exp(t) - 1.9", "(t - 0.3)^3",
                           "0.2 * sqrt((t - 0.3) * (t - 0.7)) + t - 0.5",  // no number from 0.3 to 0.7
                           "1.7e308 * sin(15.5 * t - 0.1)",                // differences overflow
                           "log(abs(t - 0.3)) / (t - 0.31)"}) {
    Watched result = watched(when);
    EXPECT_GT(result.looks.size(), 1U) << when;
    EXPECT_LE(result.looks.size(), 61U) << when;
    if (!result.found.empty()) result.looks.pop_back();  // at what was found
    double from = 0;
    double to = 1;
    for (const double part : result.looks) {
      EXPECT_TRUE(from < part && part < to) << part << " between " << from << " and " << to << " of " << when;
      (risen(when, part) >= 0 ? to : from) = part;
    }
  }
}

TEST(Watching, TakesNoPoleForAZero) {
  for (const char* when : {"1 / (t - 0.5)", "1 / (t - 0.3)", "1 / (0.3 - t)^3", "tan(t + 1)", "exp(t) / (t - 0.7)",
                           "1 / (t - 1)",                                     // infinite at the end
                           "1 / t - 2 - 4 * t",                               // and at the beginning
                           "1 / (t - 1 + 1e-12)",                             // larger there than at the beginning
                           "1 / (t - 1e-12)",                                 // and the other way round
                           "0.2 * sqrt((t - 0.3) * (t - 0.7)) + t - 0.5"}) {  // no number from 0.3 to 0.7
    EXPECT_EQ(watched(when).found.size(), 0U) << when;
    EXPECT_EQ(by_reference(when).size(), 0U) << when;
  }
}

TEST(Watching, FindsZerosBesideWhatIsSmallOrNotSmooth) {
  const Zero beside[] = {{"t - 1e-17", 0, 0},      // smaller at the beginning than anything one can look at
                         {"1 - t - 1e-17", 1, 0},  // zero at the end
                         {"1 - 1e-15 - t", 1, 0},
                         {"t - 0.5", 0.5, 0},
                         {"abs(t - 0.2) - 0.5", 0.7, 0},
                         {"abs(t - 0.2) / (t - 0.2) + t", 0.2, 0},  // it jumps over zero
                         {"(t - 0.3) / (t + 1e-9)", 0.3, 0}};
  for (const Zero& zero : beside) {
    const Watched result = watched(zero.when);
    ASSERT_EQ(result.found.size(), 1U) << zero.when;
    EXPECT_NEAR(result.found.front(), zero.t, 2 * tolerance) << zero.when;
    const std::vector<double> times = by_reference(zero.when);
    ASSERT_EQ(times.size(), 1U) << zero.when;
    EXPECT_NEAR(times.front(), zero.t, 2 * tolerance) << zero.when;
  }
}

TEST(Watching, GoesOneWayOrBoth) {
  for (const Crossing direction : {Crossing::falling, Crossing::any, Crossing::rising}) {
    EXPECT_EQ(watched(watch_for("t - 0.3", direction)).found.size(), direction == Crossing::falling ? 0U : 1U);
    EXPECT_EQ(watched(watch_for("0.3 - t", direction)).found.size(), direction == Crossing::rising ? 0U : 1U);
  }
}

TEST(Watching, FindsWhereConditionsComeToHoldAndCeaseTo) {
  struct Case {
    const char* when;
    std::vector<double> rises;
    std::vector<double> falls;
  };
  const Case cases[] = {{"t > 0.3", {0.3}, {}},
                        {"t <= 0.3", {}, {0.3}},
                        {"not t > 0.3", {}, {0.3}},
                        {"t > 0.3 and t^2 > 0.25", {0.5}, {}},
                        {"t > 0.8 or t^2 > 0.25", {0.5}, {}},
                        {"1/(t - 0.4) > 0", {0.4}, {}},             // at a pole
                        {"sqrt(t - 0.2) > 0", {0.2}, {}},           // no number before
                        {"where(t > 0.6, 1, 0) > 0.5", {0.6}, {}},  // at a jump
                        {"atan2(t - 0.7, -1) > 0", {0.7}, {}},
                        {"t > 0 and t < 2", {0}, {}},  // only just holds
                        {"t >= 0", {}, {}},            // holds already
                        {"t < 2", {}, {}}};
  for (const Case& c : cases) {
    for (const auto& [direction, expected] : {std::pair{Crossing::rising, c.rises}, {Crossing::falling, c.falls}}) {
      const std::vector<double> found = watched(watch_for(c.when, direction)).found;
      ASSERT_EQ(found.size(), expected.size()) << c.when;
      for (const double t : found) EXPECT_NEAR(t, expected[0], 2 * tolerance) << c.when;
    }
    const std::vector<double> times = by_reference(c.when);
    ASSERT_EQ(times.size(), c.rises.size() + c.falls.size()) << c.when;
    for (const double t : times) EXPECT_NEAR(t, c.rises.empty() ? c.falls[0] : c.rises[0], 2 * tolerance) << c.when;
  }
}

TEST(Watching, FindsAZeroAtTheEndOfAStepAndNoneAtItsBeginning) {
  const std::vector<double> end = {1.0};
  for (const char* when : {"t - 1", "1 - t", "t^2 - 1"}) EXPECT_EQ(watched(when).found, end) << when;
  for (const char* when : {"t", "-t", "t^2 - 2 * t", "t * 0"}) EXPECT_TRUE(watched(when).found.empty()) << when;
  EXPECT_EQ(watched("t - 0.5").found, std::vector<double>{0.5}) << "looked at by chance";
}

TEST(Watching, EndsWithTheFirstThatStops) {
  const auto in_order = [](const std::vector<Event>& events) { return watched(watch_of(events, SystemInfo{})).events; };
  const Event early = {"early", "t - 0.2", Crossing::any, EventAction::record};
  const Event stop = {"stop", "t - 0.4", Crossing::any, EventAction::stop};
  const Event same = {"same", "t - 0.4", Crossing::any, EventAction::record};
  const Event with = {"with", "t - 0.4", Crossing::any, EventAction::stop};
  const Event late = {"late", "t - 0.6", Crossing::any, EventAction::stop};
  const Event later = {"later", "t - 0.7", Crossing::any, EventAction::record};
  EXPECT_EQ(in_order({late, stop, later, early, same, with}), (std::vector<int>{3, 4, 1, 5}));
  EXPECT_EQ(in_order({stop, late, later}), (std::vector<int>{0}));
  EXPECT_EQ(in_order({later, early}), (std::vector<int>{0, 1}));
  EXPECT_EQ(in_order({later, late}), (std::vector<int>{1}));
}

}  // namespace
}  // namespace kalaba
