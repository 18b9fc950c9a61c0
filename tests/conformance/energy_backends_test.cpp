// A system defined by an energy and its constraints only runs on every backend, and agrees with its closed form.

#include <gtest/gtest.h>

#include "conformance/energy_models.hpp"
#include "conformance/simulation.hpp"
#include "kalaba/make_system.hpp"
#include "kalaba/systems/constrained_double_pendulum.hpp"
#include "kalaba/systems/flexible_manipulator.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "support/affordable_code.hpp"
#include "support/pseudo_inverses.hpp"

namespace kalaba {
namespace {

using namespace conformance;

Simulation finished(const System& system, Backend backend, PseudoInverse pseudo_inverse, double end) {
  Options options = default_options(system);
  options.backend = backend;
  options.method.pseudo_inverse = pseudo_inverse;
  options.threads = 1;
  options.time.end = end;
  Simulation simulation = simulate(system, test::with_affordable_code(system, options), 1);
  simulation.start(options.project_start);
  simulation.finish();
  EXPECT_EQ(simulation.status(), Status::ok) << status_name(simulation.status());
  return simulation;
}

template <class M>
class OnBackends : public testing::Test {};
using EnergyModels = testing::Types<TurningRodLagrangian, TurningRodHamiltonian>;
TYPED_TEST_SUITE(OnBackends, EnergyModels);

TYPED_TEST(OnBackends, TheRunFollowsTheClosedForm) {
  const System system = make_system<TypeParam>();
  EXPECT_TRUE(system.info.has_energy);
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    for (const PseudoInverse pseudo_inverse : test::all_pseudo_inverses()) {
      const Instant end = finished(system, backend, pseudo_inverse, system.info.time.end).instant();
      Vector q(2), w(2);
      system.closed_form(end.p.data(), end.t, q.data(), w.data());
      EXPECT_LE((end.q - q).norm(), 1e-11) << backend_name(backend);
      EXPECT_LE((end.w - w).norm(), 1e-11) << backend_name(backend);
    }
  }
}

/// System of the catalogue and the same system from its energy, on the default backend.
template <class Restated>
void expect_the_same_motion() {
  const System restated = make_system<Restated>();
  const System& stated = find_system(Restated::name);
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    const Simulation ours = finished(restated, backend, PseudoInverse::svd, 1.0);
    const Simulation theirs = finished(stated, backend, PseudoInverse::svd, 1.0);
    EXPECT_LE((ours.q() - theirs.q()).norm(), 1e-12 * (1 + theirs.q().norm())) << backend_name(backend);
    EXPECT_LE((ours.w() - theirs.w()).norm(), 1e-12 * (1 + theirs.w().norm())) << backend_name(backend);
  }
}

TEST(EnergyStated, TheSphericalPendulumMovesTheSame) { expect_the_same_motion<ByHamiltonian<SphericalPendulum>>(); }
TEST(EnergyStated, TheDoublePendulumMovesTheSame) {
  expect_the_same_motion<ByHamiltonian<ConstrainedDoublePendulum>>();
}
TEST(EnergyStated, TheTwoLinkArmMovesTheSame) { expect_the_same_motion<ByLagrangian<FlexibleManipulator>>(); }

}  // namespace
}  // namespace kalaba
