// Events of closed contacts in steps that are long against the variation of their values: in one step, and in a motion
// by steps.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "kalaba/core/events/watch.hpp"

namespace kalaba {
namespace {

/// Two closed contacts whose multipliers are functions of time, and whose gaps are zero.
struct Contact {
  std::function<double(double t)> multiplier;
  std::function<double(double t)> other = [](double) { return 1.0; };
  Watch watch = watch_of_contacts();
  double parameters[2] = {1, 0};  ///< mode, slack

  static Watch watch_of_contacts() {
    Watch watch;
    watch.count = watch.contact_count = 2;
    watch.multipliers = watch.events_change = true;
    for (int i = 0; i < watch.contact_count; ++i) {
      WatchedContact& contact = watch.contacts[i];
      contact.event = i;
      contact.mode = 0;
      contact.slack = 1;
      WatchedEvent& event = watch.events[i];
      event.direction = Crossing::falling;
      event.action = EventAction::record;
      contact.force = i;
      contact.gap = contact.gap_rate = watch.contact_count;
      event.expression = contact_event(contact);
      event.change.settles = true;
      event.contact = i;
    }
    return watch;
  }
};

/// End of a step, or of its beginning that was searched.
struct Found {
  double t = 0;
  bool is_event = false;
  bool is_shortened = false;
  int looks = 0;  ///< evaluations, of both kinds
};

/// Step from `begin` on, in which only the time changes.
struct Clock {
  const Contact& contact;
  double begin;
  double size;
  Found& found;
  double* observed;

  int parts() const { return 4; }
  StateView<double> look(double part) const {
    ++found.looks;
    const double t = begin + part * size;
    observed[0] = contact.multiplier(t);
    observed[1] = contact.other(t);
    return {t, nullptr, nullptr, observed};
  }
  StateView<double> glance(double part) const { return look(part); }
  StateView<double> glance_gaps(double part) const { return {begin + part * size, nullptr, nullptr, observed}; }
  void record(int /*event*/, bool counts, const StateView<double>& seen) const {
    EXPECT_TRUE(counts);
    found.is_event = true;
    found.t = seen.t;
  }
  double length() const { return size; }
  double zero_gap(int /*contact*/, double /*part*/) const { return 0; }
  void join(int /*event*/, bool /*counts*/) const {}
  void wait(int /*event*/, bool /*counts*/) const {}
  void shorten(bool counts, const StateView<double>& seen) const {
    EXPECT_TRUE(counts);
    EXPECT_LT(seen.t, begin + size);
    found.is_shortened = true;
    found.t = seen.t;
  }
};

Found step(const Contact& contact, double begin, double size) {
  Found found;
  found.t = begin + size;
  double observed[3] = {0, 0, 0};  // multipliers, a gap
  const Clock clock = {contact, begin, size, found, observed};
  double before[Watch::most_values];
  double after[Watch::most_values];
  watch_values(contact.watch, contact.parameters, clock.look(0), before);
  watch_values(contact.watch, contact.parameters, clock.look(1), after);
  found.looks = 0;
  watch_step<double>(Solo{}, contact.watch, contact.parameters, true, before, after, part_tolerance(begin, size),
                     clock);
  return found;
}

/// First event of a motion by steps that grow tenfold, up to `longest`; NaN if there is none before `end`.
double first_event(const Contact& contact, double begin, double longest, double end) {
  double t = begin;
  double size = longest;
  for (int steps = 0; t < end && steps < 10000; ++steps) {
    const Found found = step(contact, t, size);
    if (found.is_event) return found.t;
    size = std::min(10 * (found.t - t), longest);
    t = found.t;
  }
  return t < end ? -1 : std::nan("");
}

/// Multipliers 1 - a sin(t + phase) of amplitudes above 1, in steps of up to 50 periods.
TEST(Resolution, FindsTheFirstReleaseInLongSteps) {
  for (int i = 0; i < 400; ++i) {
    const double amplitude = 1.02 + 0.01 * i;
    const double phase = 0.7 * i;
    const Contact contact = {[=](double t) { return 1 - amplitude * std::sin(t + phase); }};
    const double top = std::asin(1 / amplitude);
    double begin = std::numbers::pi - top - phase + 1e-3;  // the multiplier is positive from here on
    const double event = top + 2 * std::numbers::pi - phase;
    const double longest = 3 + 0.78 * i;
    EXPECT_NEAR(first_event(contact, begin, longest, begin + 400), event, 1e-9) << i;
  }
}

/// Multipliers that stay positive: the motion ends, in a bounded number of steps.
TEST(Resolution, FindsNoReleaseOfContactsThatPush) {
  for (const double amplitude : {0.1, 0.5, 0.9, 0.99, 1 - 1e-6, 1 - 1e-9}) {
    const Contact contact = {[=](double t) { return 1 - amplitude * std::sin(t); }};
    EXPECT_TRUE(std::isnan(first_event(contact, 0, 300, 1000))) << amplitude;
  }
}

TEST(Resolution, LeavesResolvedStepsWhole) {
  const std::vector<std::function<double(double t)>> smooth = {[](double) { return 3.0; },
                                                               [](double) { return 0.0; },
                                                               [](double t) { return t; },
                                                               [](double t) { return t * t; },
                                                               [](double t) { return 1e-12 * (1 + t); },
                                                               [](double t) { return 1e9 * (2 + std::sin(t)); },
                                                               [](double t) { return 1 + 1e-15 * std::sin(1e9 * t); }};
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    const Found found = step({smooth[i]}, 0, 1);
    EXPECT_FALSE(found.is_shortened) << i;
    EXPECT_LE(found.looks, 3 + 3 + 3) << i;  // the ends of the parts, the probes, and a search at zero
  }
}

TEST(Resolution, LeavesStepsWithNoiseWhole) {
  const auto noise = [](double t) {
    const double x = 1e4 * std::sin(1e13 * t);
    return 1e-16 * (x - std::floor(x));
  };
  const Found found = step({noise}, 0.25, 1);
  EXPECT_FALSE(found.is_shortened);
}

/// The multiplier of a contact that others carry jumps between two values of rounding.
TEST(Resolution, LeavesStepsWithRedundantContactsWhole) {
  const auto rounding = [](double t) { return t < 0.3 ? -4e-16 : -1.4e-15; };
  const Found found = step({[](double) { return 5.0; }, rounding}, 0, 1);
  EXPECT_FALSE(found.is_shortened);
}

/// A value with a kink that touches zero is unresolved in every step that contains it.
TEST(Resolution, PassesAKink) {
  const Contact contact = {[](double t) { return std::abs(t - 0.3) + 1e-14; }};
  EXPECT_TRUE(std::isnan(first_event(contact, 0, 1, 10)));
}

/// Units of the values and of the time do not matter.
TEST(Resolution, IsTheSameInScaledUnits) {
  for (const double unit : {1e-6, 1e6}) {
    for (const double time : {1e-6, 1.0, 1e6}) {
      const Contact contact = {[=](double t) { return unit * (1 - 2 * std::sin(t / time + 2.7)); }};
      const double event = (std::numbers::pi / 6 + 2 * std::numbers::pi - 2.7) * time;
      EXPECT_NEAR(first_event(contact, 0, 90 * time, 1000 * time), event, 1e-9 * time);
    }
  }
}

}  // namespace
}  // namespace kalaba
