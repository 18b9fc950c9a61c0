#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

#include "conformance/simulation.hpp"
#include "support/affordable_code.hpp"
#include "support/pseudo_inverses.hpp"

// Specific properties of single systems of the catalogue, on every backend with either pseudo-inverse.

namespace kalaba {
namespace {

using namespace conformance;

class Named : public testing::TestWithParam<std::tuple<Backend, PseudoInverse>> {
 protected:
  static Options options_of(const System& system) {
    Options options = default_options(system);
    std::tie(options.backend, options.method.pseudo_inverse) = GetParam();
    options.threads = 1;
    return options;
  }
  static Simulation simulation(const char* name, long members, double end,
                               const std::map<std::string, int>& size = {}) {
    const System& system = find_system(name, size);
    Options options = options_of(system);
    options.time.end = end;
    return simulate(system, test::with_affordable_code(system, options), members);
  }
  static void finish(Simulation& simulation, bool project = true) {
    simulation.start(project);
    simulation.finish();
  }
  /// Failure time of the only member; checks that its last finite state was kept.
  static double failed_at(Simulation& simulation, Status expected) {
    EXPECT_EQ(simulation.status(), expected) << status_name(simulation.status());
    EXPECT_TRUE(simulation.q().allFinite() && simulation.w().allFinite());
    return simulation.block.failure_time[0];
  }
};

constexpr double g = 9.81;

// Friction: mu = 0.2 holds the bead up to an angle of atan 0.2 = 0.197 from the lowest point.

void place_on_ring(Simulation& ring, double angle, double speed) {
  ring.block.coordinate(0)[0] = std::sin(angle);
  ring.block.coordinate(1)[0] = -std::cos(angle);
  ring.block.rate(0)[0] = speed * std::cos(angle);
  ring.block.rate(1)[0] = speed * std::sin(angle);
}

TEST_P(Named, FrictionHoldsABeadWithinItsCone) {
  for (const double angle : {0.0, 0.1, -0.19}) {
    Simulation ring = simulation("rough_ring", 1, 0.1);
    place_on_ring(ring, angle, 0.0);
    const Vector before = ring.q();
    finish(ring);
    EXPECT_EQ(ring.status(), Status::ok) << status_name(ring.status());
    EXPECT_LE((ring.q() - before).norm(), 1e-14);
    EXPECT_LE(ring.w().norm(), 1e-14);
    const Vector friction = ring.member(ring.observe(Field::non_ideal_force), 0);
    EXPECT_LE((friction - g * std::sin(angle) * Eigen::Vector2d(std::cos(angle), std::sin(angle))).norm(), 1e-10);
  }
}

TEST_P(Named, FrictionStopsASlowBeadAndLetsASteepOneGo) {
  Simulation slow = simulation("rough_ring", 1, 0.1);
  place_on_ring(slow, 0.1, 0.01);
  finish(slow);
  EXPECT_EQ(slow.status(), Status::ok) << status_name(slow.status());
  EXPECT_LE(slow.w().norm(), 1e-12);

  Simulation steep = simulation("rough_ring", 1, 0.1);
  place_on_ring(steep, 0.5, 0.0);
  finish(steep);
  // It slides down, slowed by 0.2 of its weight's pressure: about -(sin 0.5 - 0.2 cos 0.5) g.
  EXPECT_NEAR(steep.w()[0], -0.1 * g * (std::sin(0.5) - 0.2 * std::cos(0.5)) * std::cos(0.5), 5e-3);
}

// Singular constraints.

TEST_P(Named, AppellsParticleEndsWhereItComesToRest) {
  Simulation particle = simulation("appell_particle", 1, 1.2);
  finish(particle);
  const double a = 0.75, rest = 3.75 * (1 + a * a) / (a * a * g);
  const double failed = failed_at(particle, Status::singular_constraints);
  EXPECT_LT(failed, rest);
  EXPECT_GT(failed, rest - 0.01);
  EXPECT_GT(particle.w()[2], 0.01);
  EXPECT_LT(particle.w()[2], 0.02);
}

TEST_P(Named, AppellAndHamelsParticleEndsWhereItTurns) {
  Simulation particle = simulation("appell_hamel", 1, 1.0);
  particle.block.rate(2)[0] = 1.0;
  finish(particle);
  EXPECT_LT(failed_at(particle, Status::singular_constraints), (1 + 0.64) / g);
  EXPECT_GT(particle.w()[2], 0.01);
}

TEST_P(Named, ALevelRodCannotBeBalanced) {
  Simulation rod = simulation("balanced_rod", 1, 1.0);
  rod.block.coordinate(1)[0] = 1.5;
  rod.block.rate(1)[0] = 5.0;  // through the level before it is turned back
  finish(rod, false);
  EXPECT_GT(failed_at(rod, Status::singular_constraints), 0.0);
  EXPECT_GT(std::cos(rod.q()[1]), 1e-3);
}

// Dependent constraints.

TEST_P(Named, TwoParticlesMoveAlikeWhateverTheirMasses) {
  constexpr double masses[][2] = {{1, 2}, {5, 0.3}, {0.7, 9}};
  Simulation pair = simulation("two_particles_incline", 3, 3.0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (int k = 0; k < 2; ++k) pair.block.parameter(k)[i] = masses[i][k];
    for (int k = 0; k < 4; ++k) pair.block.rate(k)[i] *= masses[i][k / 2] / masses[0][k / 2];
  }
  finish(pair);
  const auto velocities = [&](long i) -> Vector {
    return pair.w(i).cwiseQuotient(Eigen::Vector4d(masses[i][0], masses[i][0], masses[i][1], masses[i][1]));
  };
  for (const long i : {1L, 2L}) {
    EXPECT_LE((pair.q(i) - pair.q(0)).lpNorm<Eigen::Infinity>(), 1e-12 * pair.q(0).norm());
    EXPECT_LE((velocities(i) - velocities(0)).lpNorm<Eigen::Infinity>(), 1e-12 * velocities(0).norm());
  }
  EXPECT_EQ(pair.observe(Field::rank)[0], 2.0);
}

TEST_P(Named, ARedundantChainMovesLikeTheChain) {
  const bool slow = std::get<0>(GetParam()) == Backend::reference;
  int compared = 0;
  for (const int links : {4, 16}) {
    const System& redundant = find_system("chain_redundant", {{"links", links}});
    if (!test::is_affordable(redundant, options_of(redundant))) continue;
    ++compared;
    const double end = slow && links == 16 ? 0.05 : 1.0;
    Simulation chain = simulation("chain", 1, end, {{"links", links}});
    Simulation twice = simulation("chain_redundant", 1, end, {{"links", links}});
    finish(chain);
    finish(twice);
    EXPECT_LE((chain.q() - twice.q()).lpNorm<Eigen::Infinity>(), 1e-11);
    EXPECT_LE((chain.w() - twice.w()).lpNorm<Eigen::Infinity>(), 1e-11);
    EXPECT_EQ(twice.observe(Field::rank)[0], links);
    // Least norm: each of a pair of multipliers has half of the value.
    const Vector whole = chain.member(chain.observe(Field::multipliers), 0);
    const Vector halves = twice.member(twice.observe(Field::multipliers), 0);
    for (int i = 0; i < links; ++i) {
      EXPECT_NEAR(halves[2 * i], 0.5 * whole[i], 1e-9 * whole.norm());
      EXPECT_NEAR(halves[2 * i + 1], 0.5 * whole[i], 1e-9 * whole.norm());
    }
  }
  if (compared == 0) GTEST_SKIP() << "the compiler takes most of a minute, and the build has no loop";
}

INSTANTIATE_TEST_SUITE_P(Backends, Named,
                         testing::Combine(testing::Values(Backend::reference, Backend::cpu),
                                          testing::ValuesIn(test::all_pseudo_inverses())),
                         [](const auto& test) {
                           return std::string(backend_name(std::get<0>(test.param))) + "_" +
                                  std::string(pseudo_inverse_name(std::get<1>(test.param)));
                         });

}  // namespace
}  // namespace kalaba
