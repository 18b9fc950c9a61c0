// A member's result does not depend on the number of packs that step together: only equal steps do
// (backend/compiled/model_source.cpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "kalaba/backend/packs.hpp"
#include "kalaba/core/loop/integrators.hpp"
#include "kalaba/systems/four_bar_windows.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/two_particles_incline.hpp"
#include "travel.hpp"

namespace kalaba {
namespace {

using One = Pack<double>;
using Two = Packs<One, 2>;  // more of them take no other code

/// Stops each member at the time at which its coordinate i passes a value, and records zeros of the first rate.
Watch crossings(int coordinate, double value) {
  Watch watch;
  watch.count = 2;
  watch.events[0].expression = {
      3, {{Operation::coordinate, coordinate}, {Operation::number, 0, value}, {Operation::subtract}}};
  watch.events[1].action = EventAction::record;
  watch.events[1].expression = {1, {{Operation::rate, 0}}};
  watch.energy = true;
  return watch;
}

/// Members, some of which cannot start, and some of which fail during the run.
template <class M>
Block mixed_members(long members, int events) {
  Block block = members_of<M>(members, events);
  for (std::size_t i = 0; i < static_cast<std::size_t>(members); ++i) {
    const double spread = 1 + 0.01 * static_cast<double>(i);
    for (int k = 0; k < Dim<M>::w; ++k) block.rate(k)[i] *= spread;
    if (i % 17 == 5) block.parameter(0)[i] = std::numeric_limits<double>::quiet_NaN();
    if (i % 19 == 7) block.rate(0)[i] = 1e200;
  }
  return block;
}

long count_different(const Numbers& found, const Numbers& expected) {
  long different = found.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
    different += std::memcmp(&found[i], &expected[i], sizeof found[i]) != 0 ? 1 : 0;
  }
  return different;
}

long count(const Block& block, Status status) {
  return std::count(block.status.begin(), block.status.begin() + block.members, status);
}

template <class Stated, PseudoInverse By>
Block expect_same_bits(const Options& options, double dt, long members = 101) {
  using M = Stated;
  constexpr long steps = 40;
  const Block block = mixed_members<M>(members, options.watch.count);
  const auto alone = make_cpu_runner(model_functions<M, One, By, MemberLoop, true>(), options);
  const auto together = make_cpu_runner(model_functions<M, Two, By, MemberLoop, true>(), options);
  const Numbers expected = travel(*alone, block, dt, steps);
  EXPECT_EQ(count_different(travel(*together, block, dt, steps), expected), 0);

  Block moved = block;  // the cases are there
  alone->start(moved, 0, true);
  alone->advance(moved, {.start = 0, .end = 1000 * dt, .dt = dt}, 0, 2 * steps);
  EXPECT_GT(count(moved, Status::ok), members / 4);
  EXPECT_GT(count(moved, Status::non_finite), 1);
  return moved;
}

TEST(PacksInFlight, OfEqualStepsHaveTheBitsOfOne) {
  for (const Stabilization& each :
       {Stabilization::none(), Stabilization::projection(), Stabilization::baumgarte(5, 5)}) {
    Options options;
    options.method.stabilization = each;
    expect_same_bits<SphericalPendulum, PseudoInverse::svd>(options, 1e-3);
  }
}

TEST(PacksInFlight, SeeTheSameEvents) {
  Options options;
  options.watch = crossings(1, 0.1);
  const Block moved = expect_same_bits<SphericalPendulum, PseudoInverse::svd>(options, 1e-3);
  EXPECT_GT(count(moved, Status::stopped), 5);
}

TEST(PacksInFlight, OfRedundantConstraintsHaveTheBitsOfOne) {
  expect_same_bits<TwoParticlesIncline, PseudoInverse::ldlt>({}, 1e-3);
}

TEST(PacksInFlight, PassSingularPositionsAlike) {
  const Block moved = expect_same_bits<FourBarWindows<2>, PseudoInverse::ldlt>({}, 1.5e-2, 37);
  EXPECT_GT(std::accumulate(moved.singular_passages.begin(), moved.singular_passages.end(), 0.0), 5);
  EXPECT_GT(std::accumulate(moved.svd_stages.begin(), moved.svd_stages.end(), 0.0), 5);
}

}  // namespace
}  // namespace kalaba
