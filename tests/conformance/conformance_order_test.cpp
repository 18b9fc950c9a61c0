#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/cases.hpp"
#include "conformance/exemptions.hpp"
#include "conformance/order.hpp"
#include "support/affordable_code.hpp"

// On every backend, energy, named invariants and state of every system converge with the order of RK4.

namespace kalaba {
namespace {

using namespace conformance;

class Convergence : public testing::TestWithParam<Case> {
 protected:
  const System& system = *GetParam().system;
  Options options = options_for(GetParam());
  double span = options.time.dt * static_cast<double>(std::min(256L, options.time.steps()));

  /// The system's default run over `span` in `steps` steps.
  Simulation run_in(long steps, long members, const Options& from) const {
    Options finer = from;
    finer.time.dt = span / static_cast<double>(steps);
    finer.time.end = finer.time.start + span;
    return started(system, finer, members);
  }

  /// Expects that the change of an observed number over `span` converges to zero with the step.
  void expect_kept(Field field, long component) {
    double scale = 1;
    const auto drift = [&](long steps) {
      Simulation simulation = run_in(steps, 2, options);
      const auto values = [&] { return Vector(observed(simulation, field, component)); };
      const Vector before = values();
      simulation.advance(steps);
      scale = std::max(scale, before.lpNorm<Eigen::Infinity>());
      return (values() - before).lpNorm<Eigen::Infinity>();
    };
    const double coarse = drift(8);
    const auto order = observed_order(drift, 1e-11 * scale);
    if (order) {
      EXPECT_GE(*order, 3.5);
    } else {
      expect_exact(coarse / scale);
    }
    EXPECT_LE(coarse, 1e-2 * scale);
    EXPECT_LE(drift(256), 1e-8 * scale);
  }

  /// If the error is at rounding level before the order is visible, the coarsest steps must already be accurate: order
  /// 4 allows 16 times the floor of 1e-11.
  static void expect_exact(double coarsest_error) {
    EXPECT_LE(coarsest_error, 2e-10) << "neither an order is seen, nor is the method exact";
  }

  static Eigen::Vector2d observed(Simulation& simulation, Field field, long component) {
    const std::vector<double> rows = simulation.observe(field);
    return {simulation.member(rows, 0)[component], simulation.member(rows, 1)[component]};
  }
};

TEST_P(Convergence, EnergyIsKeptToTheOrderOfTheMethod) {
  if (!system.info.has_energy) GTEST_SKIP() << "no energy is stated";
  if (const char* reason = exempt(energy_changes, system)) GTEST_SKIP() << reason;
  expect_kept(Field::energy, 0);
}

TEST_P(Convergence, ConstantInvariantsAreKeptToTheOrderOfTheMethod) {
  if (std::ranges::count(system.info.invariance, Invariance::constant) == 0) {
    GTEST_SKIP() << "no constant invariant is stated";
  }
  for (std::size_t i = 0; i < system.info.invariants.size(); ++i) {
    if (system.info.invariance[i] != Invariance::constant) continue;
    SCOPED_TRACE(system.info.invariants[i].name);
    expect_kept(Field::invariants, static_cast<long>(i));
  }
}

TEST_P(Convergence, HalvingTheStepShowsOrderFour) {
  if (const char* reason = exempt(order_is_lost, system)) GTEST_SKIP() << reason;
  for (const auto stabilization : {Stabilization::none(), Stabilization::projection()}) {
    const bool projected = stabilization.kind == Stabilization::Kind::projection;
    if (projected && system.info.servo) continue;
    Options chosen = options;
    chosen.method.stabilization = stabilization;
    chosen.project_start = options.project_start || projected;
    chosen = test::with_affordable_code(system, chosen);
    double scale = 1;
    const auto state = [&](long steps) {
      Simulation simulation = run_in(steps, 1, chosen);
      simulation.advance(steps);
      EXPECT_EQ(simulation.status(), Status::ok) << status_name(simulation.status());
      Vector all(simulation.q().size() + simulation.w().size());
      all << simulation.q(), simulation.w();
      scale = std::max(scale, all.lpNorm<Eigen::Infinity>());
      return all;
    };
    const auto difference = [&](long steps) {
      return Vector(state(steps) - state(2 * steps)).lpNorm<Eigen::Infinity>() / scale;
    };
    const auto order = observed_order(difference, 1e-11);
    SCOPED_TRACE("stabilization " + std::to_string(static_cast<int>(stabilization.kind)));
    if (order) {
      EXPECT_GE(*order, 3.6);
      EXPECT_LE(*order, 6.0);
    } else {
      expect_exact(difference(8));
    }
  }
}

std::vector<Case> affordable_cases() {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [](const Case& c) { return !convergence_affordable(c); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Systems, Convergence, testing::ValuesIn(affordable_cases()),
                         [](const auto& test) { return testing::PrintToString(test.param); });

}  // namespace
}  // namespace kalaba
