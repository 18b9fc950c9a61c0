// Search for the place in a step where the gap of an open contact falls to zero.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "kalaba/core/base/team.hpp"
#include "kalaba/core/events/gap_search.hpp"

namespace kalaba {
namespace {

/// Result of a search in the step from 0 to 1.
struct Searched {
  bool asks = false;
  GapFall<double> fall = {};
  int looks = 0;
};

Searched searched(const std::function<double(double)>& gap, const std::function<double(double)>& slope, int parts,
                  double depth) {
  const auto at = [&](double place) { return GapAt<double>{place, gap(place), slope(place)}; };
  GapSearch<double> search;
  search.parts = parts;
  for (int i = 0; i <= parts; ++i) search.nodes[i] = at(static_cast<double>(i) / parts);
  search.begin(at(GapSearch<double>::probed_place(parts)));
  Searched result;
  result.asks = search.asks(depth);
  result.fall = search.search(Solo{}, result.asks, depth, 1e-15, [&](double place, bool) {
    ++result.looks;
    return at(place);
  });
  return result;
}

/// First place of a fine grid where the gap is below -depth; 2 if there is none.
double first_below(const std::function<double(double)>& gap, double depth) {
  constexpr int places = 20000;
  for (int i = 1; i <= places; ++i) {
    if (gap(static_cast<double>(i) / places) < -depth) return static_cast<double>(i) / places;
  }
  return 2;
}

/// Oscillations of every phase, amplitude and frequency, on a line: a gap below the depth is found or undecided.
TEST(GapSearching, FindsEveryDipOfAnOscillation) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  double looks = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const double frequency = std::pow(10, -1 + 2.5 * unit(random));
    const double phase = 6.3 * unit(random);
    const double level = 1 + std::pow(10, -5 * unit(random)) * (trial % 2 == 0 ? -1 : 1);
    const double rise = trial % 3 == 0 ? unit(random) - 0.5 : 0;
    const auto gap = [&](double s) { return level + rise * s + std::cos(frequency * s + phase); };
    const auto slope = [&](double s) { return rise - frequency * std::sin(frequency * s + phase); };
    if (gap(0) < 1e-6) continue;
    for (const int parts : {4, 8}) {
      const double depth = 1e-7;
      const Searched result = searched(gap, slope, parts, depth);
      const double below = first_below(gap, depth);
      looks += result.looks / 8000.0;
      if (result.fall.undecided) {
        EXPECT_GT(result.fall.from.place, 0.05) << frequency;
        EXPECT_LE(result.fall.from.place, below) << frequency << ' ' << phase << ' ' << level;
      } else if (result.fall.falls) {
        EXPECT_LE(result.fall.from.place, below) << frequency << ' ' << phase << ' ' << level;
        EXPECT_LE(gap(result.fall.to.place), 0);
      } else {
        EXPECT_EQ(below, 2) << frequency << ' ' << phase << ' ' << level << ' ' << rise << ' ' << parts;
      }
    }
  }
  EXPECT_LE(looks, 20);
}

/// The samples at the ends of the parts show the same gap.
TEST(GapSearching, SeesOscillationsWithThePeriodOfTheParts) {
  for (const int parts : {4, 8}) {
    for (const int periods : {1, 2, 3}) {
      const double frequency = 2 * M_PI * parts * periods;
      const Searched result = searched([&](double s) { return 0.5 + std::cos(frequency * s); },
                                       [&](double s) { return -frequency * std::sin(frequency * s); }, parts, 1e-9);
      ASSERT_TRUE(result.fall.falls) << parts << ' ' << periods;
      EXPECT_LE(result.fall.from.place, 1 / (3.0 * parts * periods) + 1e-9);
    }
  }
}

/// A bound on a whole step proves no gap positive that is not, at any frequency; slow gaps far from zero are proved.
TEST(GapSearching, OpenStepsHaveNoDips) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  int slow = 0;
  int proved = 0;
  for (int trial = 0; trial < 400000; ++trial) {
    const double frequency = trial % 16 == 0 ? 2 * M_PI * (1 + trial % 5) : std::pow(10, -1 + 3 * unit(random));
    const double phase = 6.3 * unit(random);
    const double level = 1 + std::pow(10, -5 * unit(random)) * (trial % 2 == 0 ? -1 : 1);
    const auto gap = [&](double s) { return level + std::cos(frequency * s + phase); };
    const auto at = [&](double s) { return GapAt<double>{s, gap(s), -frequency * std::sin(frequency * s + phase)}; };
    double within[OpenStep<double>::places];
    for (int i = 0; i < OpenStep<double>::places; ++i) within[i] = gap(OpenStep<double>::place(i));
    const bool stays = OpenStep<double>::stays_open(at(0), at(1), within);
    const double turn = 2 * M_PI * std::ceil((phase - M_PI) / (2 * M_PI)) + M_PI;  // the first dip after the beginning
    const bool dips = level < 1 && turn < phase + frequency;
    EXPECT_FALSE(stays && (dips || gap(0) <= 0 || gap(1) <= 0)) << frequency << ' ' << phase << ' ' << level;
    if (frequency > 0.5 || gap(0) < 0.2 || gap(1) < 0.2) continue;
    ++slow;
    if (stays) ++proved;
  }
  EXPECT_GT(proved, 0.99 * slow);
  EXPECT_GT(slow, 1000);
}

/// A gap that leaves zero is not found; one that returns to zero is.
TEST(GapSearching, AGapMayLeaveZero) {
  for (const double start : {0.0, 1e-12, -1e-12}) {
    for (const double end : {0.3, -0.3}) {
      const auto gap = [&](double s) { return start + s * (1 + s * (end - 1)); };
      const Searched result = searched(
          gap, [&](double s) { return 1 + 2 * s * (end - 1); }, 8, std::max(1e-10, -2 * start));
      EXPECT_EQ(result.fall.falls, end < 0) << start;
      EXPECT_FALSE(result.fall.undecided);
      EXPECT_LE(result.looks, 4);
      if (end < 0) {
        EXPECT_GE(result.fall.from.place, 0.5);
      }
    }
  }
}

}  // namespace
}  // namespace kalaba
