// Relative perturbations of 1e-16 to 1e-9 do not change the rank, and change the results by a bounded multiple: for
// every system of the catalogue, and for a loop in space that is planar except for a tilt.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kalaba/ensemble.hpp"
#include "singular/linkage_in_space.hpp"
#include "support/interpreted_system.hpp"
#include "support/pseudo_inverses.hpp"

namespace kalaba {
namespace {

constexpr double perturbations[] = {0, 1e-16, 1e-14, 1e-12, 1e-11, 1e-10, 1e-9};
constexpr long members = std::size(perturbations);

/// Every parameter and initial value of member i times 1 + perturbations[i] or 1 - perturbations[i].
Ensemble perturbed(const System& system) {
  Ensemble ensemble(system, members);
  std::mt19937 random(11);
  const auto perturb = [&](std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] *= 1 + (random() % 2 == 0 ? 1 : -1) * perturbations[i];
    }
  };
  for (const Variable& each : system.info.parameters) perturb(ensemble.parameter(each.name));
  ensemble.restart();
  for (const Variable& each : system.info.coordinates) perturb(ensemble.initial(each.name));
  for (const Variable& each : system.info.rates) perturb(ensemble.initial(each.name));
  return ensemble;
}

class Perturbed : public testing::TestWithParam<const System*> {};

TEST_P(Perturbed, KeepsItsRankAndItsResult) {
  const System& system = *GetParam();
  Options options = default_options(system);
  options.backend = Backend::reference;
  options.time = {.start = 0, .end = 3 * system.info.time.dt, .dt = system.info.time.dt, .save_every = 3};
  options.fields = {Field::q, Field::w, Field::rank};
  const Result result = run(perturbed(system), options);
  const std::size_t last = result.times().size() - 1;
  for (std::size_t i = 0; i < members; ++i) EXPECT_EQ(result.status()[i], result.status()[0]) << perturbations[i];
  if (!system.info.constraints.empty()) {
    const auto rank = result.values("rank", last);
    for (std::size_t i = 0; i < members; ++i) EXPECT_EQ(rank[i], rank[0]) << perturbations[i];
  }
  for (const auto& variables : {system.info.coordinates, system.info.rates}) {
    double size = 0;
    for (const Variable& each : variables) size = std::max(size, std::abs(result.values(each.name, last)[0]));
    for (const Variable& each : variables) {
      const auto values = result.values(each.name, last);
      for (std::size_t i = 1; i < members; ++i) {
        EXPECT_NEAR(values[i], values[0], (1e4 * perturbations[i] + 1e-9) * size)
            << each.name << ' ' << perturbations[i];
      }
    }
  }
}

std::vector<const System*> systems_of_the_catalogue() {
  std::vector<const System*> systems;
  for (const System& system : catalogue()) {
    if (system.info.rates.size() <= 24) systems.push_back(&system);
  }
  return systems;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, Perturbed, testing::ValuesIn(systems_of_the_catalogue()), [](const auto& test) {
  std::string name = test.param->info.name;
  for (const auto& [key, size] : test.param->info.structure) name += "_" + std::to_string(size);
  return name;
});

/// Moves as in the plane, whatever formulation and pseudo-inverse, and in the reference.
template <class Linkage>
void expect_motion_in_the_plane() {
  SCOPED_TRACE(Linkage::name);
  const System system = make_system<Linkage>();
  Ensemble ensemble(system, 5);
  const double tilts[] = {0, 1e-17, 1e-16, 1e-15, 1e-14};
  std::ranges::copy(tilts, ensemble.parameter("tilt").begin());
  const auto expect_plane = [&](Options options) {
    options.time = {.start = 0, .end = 0.1, .dt = 1e-3, .save_every = 100};
    options.fields = {Field::q, Field::w, Field::rank};
    const Result result = run(ensemble, options);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(result.status()[i], Status::ok) << tilts[i];
      EXPECT_EQ(result.values("rank", 1)[i], 2) << tilts[i];
      for (const Variable& each : system.info.coordinates) {
        EXPECT_NEAR(result.values(each.name, 1)[i], result.values(each.name, 1)[0], 1e-12) << tilts[i];
      }
    }
  };
  Options options = test::interpreted_options(system);
  options.backend = Backend::reference;
  expect_plane(options);
  if (system.info.servo) return;  // no interpreted loop moves one
  options.backend = Backend::cpu;
  for (const PseudoInverse inverse : test::all_pseudo_inverses()) {
    options.method.pseudo_inverse = inverse;
    expect_plane(options);
  }
}

TEST(ALoopInSpace, MovesAsInThePlane) {
  expect_motion_in_the_plane<test::LinkageInSpace<Formulation::lagrange>>();
  expect_motion_in_the_plane<test::LinkageInSpace<Formulation::hamilton>>();
  expect_motion_in_the_plane<test::LinkageInSpace<Formulation::kane>>();
  expect_motion_in_the_plane<test::ActuatedLinkageInSpace>();
}

}  // namespace
}  // namespace kalaba
