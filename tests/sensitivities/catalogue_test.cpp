// Every system of the catalogue: derivatives of its motion in the reference, compared with differences of complete
// runs; and for some systems of every kind on the CPU too, whose code shares only the model: each is compiled
// separately, which takes seconds.

#include <algorithm>

#include "sensitivities/differences.hpp"
#include "support/families.hpp"

namespace kalaba {
namespace {

/// One row; momenta; rows of deficient rank; a driven coordinate; a force of the constraints that is not ideal;
/// quasi-velocities; a velocity of its own; servo-constraints; a singular metric; many rows.
constexpr const char* some[] = {"spherical_pendulum_lagrangian",
                                "nonholonomic_hamiltonian_particle",
                                "two_particles_incline",
                                "logarithmic_spiral",
                                "rough_ring",
                                "rolling_disk",
                                "chaplygin_sleigh",
                                "balanced_rod",
                                "split_oscillator",
                                "iftomm_pendulum",
                                "chain"};
bool is_compiled(const System& system) {
  return std::ranges::find(some, system.info.name) != std::end(some) && system.info.rates.size() <= 6;
}

void expect_exact(const System& plain, PseudoInverse by) {
  const System system = with_sensitivities(plain, chosen_names(plain.info));
  const bool compiled = is_compiled(plain);
  Options options = short_run(system, compiled ? Backend::cpu : Backend::reference);
  options.method.pseudo_inverse = by;
  const char* const backend = compiled ? "cpu" : "reference";
  const auto differences = differences_of(plain, options, system.info.sensitivities);
  const Motion found = motion_of(system, options);
  expect_near(found.columns, differences, system, found.state, backend);
  EXPECT_EQ(found.state, motion_of(plain, options).state) << "the motion keeps its bits";
  const auto slopes = differences_of(plain, options, system.info.sensitivities, observed_names(plain.info));
  expect_slopes_near(found.slopes, slopes, system, found, backend);
  if (!compiled) return;
  options.backend = Backend::reference;
  const Motion reference = motion_of(system, options);
  expect_near(reference.columns, found.columns, system, found.state, "reference");
  expect_slopes_near(reference.slopes, found.slopes, system, found, "reference");
}

class Sensitivities : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Sensitivities, OfEverySystem) { expect_exact(catalogue()[GetParam()], PseudoInverse::svd); }

TEST(SensitivitiesBy, EveryPseudoInverse) {
  expect_exact(find_system("two_particles_incline"), PseudoInverse::qr);  // of deficient rank
  expect_exact(find_system("two_particles_incline"), PseudoInverse::ldlt);
  expect_exact(find_system("chain", {{"links", 2}}), PseudoInverse::ldlt);
}

/// Systems of the catalogue, with the smallest size of each family.
std::vector<std::size_t> systems() {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < catalogue().size(); ++i) {
    if (test::is_smallest(catalogue()[i])) places.push_back(i);
  }
  return places;
}

TEST(SensitivitiesOfSome, AreCompiled) {
  std::size_t compiled = 0;
  for (const std::size_t place : systems()) compiled += is_compiled(catalogue()[place]) ? 1 : 0;
  EXPECT_EQ(compiled, std::size(some)) << "a name that no system of up to 6 rates has";
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& info) { return catalogue()[info.param].info.name; }

INSTANTIATE_TEST_SUITE_P(Catalogue, Sensitivities, ::testing::ValuesIn(systems()), name_of);

}  // namespace
}  // namespace kalaba
