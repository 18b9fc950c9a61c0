// Every system of the catalogue: the derivatives of its motion on the CPU and in the reference, which share nothing but
// the model, against differences of whole runs.

#include "sensitivities/differences.hpp"

namespace kalaba {
namespace {

void expect_exact(const System& plain, PseudoInverse by) {
  const System system = with_sensitivities(plain, chosen_names(plain.info));
  Options options = short_run(system, Backend::cpu);
  options.method.pseudo_inverse = by;
  const auto differences = differences_of(plain, options, system.info.sensitivities);
  if (plain.info.rates.size() > 6) {  // the compiler takes up to a minute to read the derivatives
    options.backend = Backend::reference;
    const Motion reference = motion_of(system, options);
    expect_near(reference.columns, differences, system, reference.state, "reference");
    return;
  }
  const Motion cpu = motion_of(system, options);
  expect_near(cpu.columns, differences, system, cpu.state, "cpu");
  EXPECT_EQ(cpu.state, motion_of(plain, options).state) << "the motion keeps its bits";
  const auto slopes = differences_of(plain, options, system.info.sensitivities, observed_names(plain.info));
  expect_slopes_near(cpu.slopes, slopes, system, cpu, "cpu");
  options.backend = Backend::reference;
  const Motion reference = motion_of(system, options);
  expect_near(reference.columns, cpu.columns, system, cpu.state, "reference");
  expect_slopes_near(reference.slopes, cpu.slopes, system, cpu, "reference");
}

class Sensitivities : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Sensitivities, OfEverySystem) { expect_exact(catalogue()[GetParam()], PseudoInverse::svd); }

TEST(SensitivitiesBy, EveryPseudoInverse) {
  expect_exact(find_system("two_particles_incline"), PseudoInverse::qr);  // of deficient rank
  expect_exact(find_system("two_particles_incline"), PseudoInverse::ldlt);
  expect_exact(find_system("chain", {{"links", 2}}), PseudoInverse::ldlt);
}

/// Of a family of sizes the smallest.
std::vector<std::size_t> systems() {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < catalogue().size(); ++i) {
    const SystemInfo& info = catalogue()[i].info;
    const bool is_another = places.empty() || catalogue()[places.back()].info.name != info.name;
    if (is_another) {
      places.push_back(i);
    } else if (info.rates.size() < catalogue()[places.back()].info.rates.size()) {
      places.back() = i;
    }
  }
  return places;
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& info) { return catalogue()[info.param].info.name; }

INSTANTIATE_TEST_SUITE_P(Catalogue, Sensitivities, ::testing::ValuesIn(systems()), name_of);

}  // namespace
}  // namespace kalaba
