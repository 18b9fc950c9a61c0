// Event detection in one step: the number of evaluations to find a zero, the accuracy, and cases without a zero.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backend/reference/events.hpp"
#include "kalaba/core/events/watch.hpp"
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
  std::vector<int> events;    ///< their indices
};

/// Step from t = 0 to 1 in which only the time changes.
struct Clock {
  Watched& watched;
  int in_parts = 4;
  bool shows_samples = true;

  int parts() const { return in_parts; }
  StateView<double> glance(double part) const { return {shows_samples ? part : std::nan(""), nullptr, nullptr}; }
  StateView<double> look(double part) const {
    watched.looks.push_back(part);
    return {part, nullptr, nullptr};
  }
  void record(int event, bool counts, const StateView<double>& seen) const {
    EXPECT_TRUE(counts);
    watched.events.push_back(event);
    watched.found.push_back(seen.t);
  }
  // The step has no contacts.
  double length() const { return 1; }
  StateView<double> glance_gaps(double part) const { return glance(part); }
  double zero_gap(int /*contact*/, double /*part*/) const { return 0; }
  void shorten(bool /*counts*/, const StateView<double>& /*seen*/) const { FAIL(); }
  void join(int /*event*/, bool /*counts*/) const {}
  void wait(int /*event*/, bool /*counts*/) const {}
};

/// Zeros found in this step.
Watched watched(const Watch& watch, int parts = 4, bool shows_samples = true, double precision = tolerance) {
  double before[Watch::most_values];
  double after[Watch::most_values];
  watch_values<double>(watch, nullptr, {0, nullptr, nullptr}, before);
  watch_values<double>(watch, nullptr, {1, nullptr, nullptr}, after);
  Watched result;
  watch_step<double>(Solo{}, watch, nullptr, true, before, after, precision, Clock{result, parts, shows_samples});
  return result;
}
Watched watched(const std::string& when) { return watched(watch_for(when)); }

/// Times found by the reference.
std::vector<double> by_reference(const std::string& when, int parts = 4) {
  const auto at = [](double t) {
    reference::Instant x;
    x.t = t;
    return x;
  };
  std::vector<double> times;
  const auto nothing = [](const reference::Instant&) { return reference::Vector(); };
  for (const auto& each : reference::happenings(watch_for(when), at(0), at(1), parts, at, at, nothing).found) {
    times.push_back(each.at.t);
  }
  return times;
}

struct Zero {
  const char* when;
  double t;
  std::size_t looks;  ///< at most; one is at the zero
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
    EXPECT_GT(std::ranges::count(result.looks, result.found.front()), 0) << zero.when;
  }
}

/// Samples of a step in sixteen parts, as of Taylor series, of more than one event.
TEST(Watching, SamplesOfSeveralEventsAreApart) {
  const Watch watch = watch_of({{"none", "0.036 + t / 10000", Crossing::any, EventAction::record},
                                {"two", "(t - 0.3) * (t - 0.32)", Crossing::any, EventAction::record}},
                               SystemInfo{});
  const Watched result = watched(watch, 16);
  ASSERT_EQ(result.found.size(), 2U);
  EXPECT_NEAR(result.found[0], 0.3, 1e-12);
  EXPECT_NEAR(result.found[1], 0.32, 1e-12);
}

/// Value at t, with reversed sign unless the value at t = 0 is negative.
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
    Watched result = watched(watch_for(when), 4, false);
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

/// The value rises by one rounding of 4 at its zero, which is more than its change in the step.
TEST(Watching, TakesNoRoundingForAPole) {
  for (const char* when : {"4 + 8e-16 * t - 4 - 3e-16 - 5e-16 * t", "3e-16 + 5e-16 * t - (4 + 8e-16 * t - 4)"}) {
    const Watched result = watched(when);
    ASSERT_EQ(result.found.size(), 1U) << when;
    EXPECT_NEAR(result.found.front(), 0.555, 1e-3) << when;
    ASSERT_EQ(by_reference(when).size(), 1U) << when;
    EXPECT_NEAR(by_reference(when).front(), 0.555, 1e-3) << when;
  }
}

/// At large times the last bracket of a zero is wide: the value changes more in it than between the ends of the step,
/// at which it is almost zero.
TEST(Watching, TakesNoWideBracketForAPole) {
  for (const double precision : {1e-12, 1e-9, 1e-6}) {
    for (const char* when :
         {"(t + 1e-18) * (1 - t) - 1e-16 * t", "1e-17 - sin(pi*t) - 3e-17*t", "cos(2*pi*t) - 1 + 1e-16"}) {
      const Watched result = watched(watch_for(when), 4, true, precision);
      ASSERT_GE(result.found.size(), 1U) << when;
      const double near = std::max(2e-8, precision);
      EXPECT_TRUE(result.found.front() <= near || result.found.front() > 1 - near) << when;
    }
    EXPECT_EQ(watched(watch_for("1 / (t - 0.3)"), 4, true, precision).found.size(), 0U);
    EXPECT_EQ(watched(watch_for("1 / (t - 0.5)"), 4, true, precision).found.size(), 0U) << "infinite at a sample";
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

/// A value that leaves zero so slowly that rounding hides it at first, as a speed with the force that moves a body from
/// rest, has not returned to zero.
TEST(Watching, FindsNoZeroWhereAValueLeavesZeroSlowly) {
  for (const char* when : {"1 - cos(t)", "cos(t) - 1", "t - sin(t)", "t^3", "(t + 1e4) - 1e4",
                           "(t + 1)^3 - 1 - 3*t - 3*t^2", "(1 - cos(t)) * (t + 0.5)"}) {
    for (const int parts : {4, 8, 16}) {
      EXPECT_TRUE(watched(watch_for(when), parts).found.empty()) << when << ", " << parts;
      EXPECT_TRUE(by_reference(when, parts).empty()) << when << ", reference, " << parts;
    }
  }
  const Watched later = watched("(1 - cos(t)) * (t - 0.3)");
  ASSERT_EQ(later.found.size(), 1U);
  EXPECT_NEAR(later.found.front(), 0.3, 2 * tolerance);
}

/// Expressions with more zeros than the signs at the ends show, within the parts of a step or one per part.
TEST(Watching, FindsEveryZeroOfAStep) {
  struct Case {
    const char* when;
    std::vector<double> zeros;
    int parts = 4;
    double precision = 1;  ///< of zeros that are all but double, in units of the tolerance
  };
  const double deep = std::sqrt(1e-3);
  const double shallow = std::sqrt(1e-9);
  const Case cases[] = {
      {"(t - 0.3) * (t - 0.4)", {0.3, 0.4}},
      {"(t - 0.4) * (0.3 - t)", {0.3, 0.4}},
      {"(t - 0.03) * (t - 0.05)", {0.03, 0.05}},  // in the first part
      {"(t - 0.96) * (t - 0.97)", {0.96, 0.97}},  // and in the last
      {"(t - 0.6)^2 - 1e-3", {0.6 - deep, 0.6 + deep}, 4, 10},
      {"(t - 0.6)^2 - 1e-9", {0.6 - shallow, 0.6 + shallow}, 4, 1e5},
      {"1e-9 - (t - 0.37)^2", {0.37 - shallow, 0.37 + shallow}, 4, 1e5},
      {"(t - 0.6)^2 + 1e-9", {}},
      {"(t - 0.2) * (t - 0.45) * (t - 0.7)", {0.2, 0.45, 0.7}},
      {"(t - 0.1) * (t - 0.2) * (t - 0.6) * (t - 0.7)", {0.1, 0.2, 0.6, 0.7}},
      {"sin(20 * t + 0.5)",
       {0.13207963267948965, 0.28915926535897931, 0.44623889803846897, 0.60331853071795864, 0.76039816339744831,
        0.91747779607693797},
       8},
      {"abs(t - 0.41) - 1e-3", {0.409, 0.411}},  // a kink
      {"where(t > 0.52, 1 - 10 * (t - 0.52), 1 - 20 * (0.52 - t)) - 0.9", {0.515, 0.53}},
      {"t > 0.3 and t < 0.32", {0.3, 0.32}},  // conditions
      {"not (t < 0.7 or t > 0.71)", {0.7, 0.71}},
      {"(t - 0.6)^2 < 1e-3", {0.6 - deep, 0.6 + deep}, 4, 10},
      {"t - 0.5 + 1e-3 * sin(40 * t)", {0.5 - 0.0009}, 4, 1e11},  // one zero, and a wave
      {"(t - 0.5)^2", {0.5}},                                     // touched, by chance looked at
  };
  for (const Case& c : cases) {
    for (const auto& [name, found] :
         {std::pair{"core", watched(watch_for(c.when), c.parts).found}, {"reference", by_reference(c.when, c.parts)}}) {
      ASSERT_EQ(found.size(), c.zeros.size()) << c.when << ", " << name;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], c.zeros[i], 2 * tolerance * c.precision) << c.when << ", " << name;
      }
    }
  }
}

/// Polynomials of degree up to 4, with at most two roots in a quarter of the step.
TEST(Watching, FindsTheRootsOfPolynomialsInOrder) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 400; ++trial) {
    const int degree = 2 + trial % 3;
    std::vector<double> roots;
    while (static_cast<int>(roots.size()) < degree) {
      const double root = uniform(random);
      const auto is_near = [&](double each) { return std::abs(each - root) < 0.05; };
      const auto in_its_part = [&](double each) { return std::floor(4 * each) == std::floor(4 * root); };
      if (std::ranges::none_of(roots, is_near) && std::ranges::count_if(roots, in_its_part) < 2) roots.push_back(root);
    }
    std::ranges::sort(roots);
    std::string when = "1";
    for (const double root : roots) when += " * (t - " + std::to_string(root) + ")";
    for (const std::vector<double>& found : {watched(when).found, by_reference(when)}) {
      ASSERT_EQ(found.size(), roots.size()) << when;
      for (std::size_t i = 0; i < roots.size(); ++i) EXPECT_NEAR(found[i], roots[i], 1e-6) << when;
    }
    const std::vector<double> rising = watched(watch_for(when, Crossing::rising)).found;
    EXPECT_EQ(rising.size(), static_cast<std::size_t>((degree + 1) / 2)) << when;
  }
}

/// Two zeros at ends of the parts of a step, or a rounding beside them, at the end of the step, and within a part.
TEST(Watching, FindsZerosAtTheEndsOfParts) {
  std::mt19937 random(2);
  const double beside[] = {0, 0, 0, 1, -1, 3, -3};
  const char* const forms[] = {"(t - {a}) * (t - {b})", "({a} - t) * (t - {b})",
                               "min(t - {a}, {b} - t)", "abs(t - ({a} + {b}) / 2) - ({b} - {a}) / 2",
                               "t > {a} and t < {b}",   "not (t >= {a} and t < {b})",
                               "t < {a} or t >= {b}",   "max({a} - t, t - {b})"};
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return std::string(text);
  };
  for (int trial = 0; trial < 4000; ++trial) {
    const int parts = 4 << trial % 3;
    const auto root = [&](int sixteenths) {
      return sixteenths / 16.0 * (1 + beside[random() % std::size(beside)] * Limits<double>::epsilon);
    };
    const int first = 1 + static_cast<int>(random() % 14);
    const double a = root(first);
    const double b = root(first + 1 + static_cast<int>(random() % static_cast<unsigned>(15 - first)));
    std::string when = forms[random() % std::size(forms)];
    for (const auto& [name, value] : {std::pair{"{a}", a}, {"{b}", b}}) {
      for (auto at = when.find(name); at != std::string::npos; at = when.find(name)) when.replace(at, 3, number(value));
    }
    for (const std::vector<double>& found : {watched(watch_for(when), parts).found, by_reference(when, parts)}) {
      ASSERT_EQ(found.size(), 2U) << when << ", " << parts;
      EXPECT_NEAR(found[0], a, 2 * tolerance) << when << ", " << parts;
      EXPECT_NEAR(found[1], b, 2 * tolerance) << when << ", " << parts;
    }
  }
  for (const int parts : {4, 8, 16}) {
    for (const char* when :
         {"(t - 0.7) * (t - 1)", "(0.93 - t) * (1 - t)", "t > 0.7 and t < 1", "0.97 > t or t >= 1"}) {
      for (const std::vector<double>& found : {watched(watch_for(when), parts).found, by_reference(when, parts)}) {
        ASSERT_EQ(found.size(), 2U) << when << ", " << parts;
        EXPECT_EQ(found[1], 1) << when << ", " << parts;
      }
    }
    for (const std::vector<double>& found :
         {watched(watch_for("t > 0 and t < 1"), parts).found, by_reference("t > 0 and t < 1", parts)}) {
      ASSERT_EQ(found.size(), 2U) << parts;
      EXPECT_LE(found[0], 2 * tolerance) << parts;
      EXPECT_EQ(found[1], 1) << parts;
    }
  }
}

TEST(Watching, LooksNoMoreWhereNothingComesNearZero) {
  for (const char* when : {"t + 0.1", "1 + t^2", "cos(t) + 0.5", "exp(-3*t) + 0.05", "(t - 0.5)^2 + 0.5",
                           "2 + sin(9*t)", "-1 - t * (1 - t)", "t > -1", "t < 0.55 and t > 0.8"}) {
    EXPECT_EQ(watched(when).looks.size(), 0U) << when;
  }
  for (const char* when :
       {"(t - 0.6)^2 + 1e-9", "abs(t - 0.41) + 1e-9", "(t - 0.3)^2 * ((t - 0.8)^2 + 1e-12)", "t < 0.5 and t > 0.7"}) {
    EXPECT_LE(watched(when).looks.size(), 80U) << when;
  }
}

TEST(Watching, StopsAtTheFirstOfManyZeros) {
  const Event stop = {"stop", "(t - 0.31) * (t - 0.35)", Crossing::any, EventAction::stop};
  const Event falling = {"falling", "(t - 0.4) * (0.45 - t)", Crossing::falling, EventAction::stop};
  const Event wave = {"wave", "sin(20*t + 0.5)", Crossing::any, EventAction::record};
  const auto times = [](const std::vector<Event>& events) { return watched(watch_of(events, SystemInfo{}), 8).found; };
  EXPECT_EQ(times({stop, wave}).size(), 3U);  // two of the wave before it
  EXPECT_NEAR(times({stop, wave}).back(), 0.31, 2 * tolerance);
  EXPECT_EQ(times({wave, falling}).size(), 4U);
  EXPECT_NEAR(times({wave, falling}).back(), 0.45, 2 * tolerance);
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

/// The sine's argument counts with its own rounding error.
TEST(RoundingOfExpressions, IsThatOfTheirTermsInAnyUnits) {
  SystemInfo info;
  info.parameters = {{"A", "", 1, ""}, {"k", "", 1, ""}};
  info.coordinates = {{"x", "", 0, ""}, {"y", "", 0, ""}};
  const Expression expression = read_expression("y - A*sin(k*x)", info);
  for (const double unit : {1.0, 1e6, 1e-6}) {  // of lengths
    const std::vector<double> p = {0.5 * unit, 7 / unit};
    const std::vector<double> q = {1.3 * unit, 2 * unit};
    const double size = 2 + 0.5 * std::abs(std::sin(9.1)) + 0.5 * 9.1;
    const double rounding = rounding_of(expression, p.data(), StateView<double>{0.0, q.data(), nullptr});
    EXPECT_NEAR(rounding / (16 * 0x1p-52 * unit), size, 1e-12);
  }
}

}  // namespace
}  // namespace kalaba
