#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "conformance/cases.hpp"
#include "conformance/order.hpp"
#include "support/affordable_code.hpp"
#include "support/pseudo_inverses.hpp"

// Data of a system on its own default run (figures, closed form, invariants that stay zero) hold on every backend with
// either pseudo-inverse.

namespace kalaba {
namespace {

using namespace conformance;

class Stated : public testing::TestWithParam<std::tuple<Case, PseudoInverse>> {
 protected:
  const System& system = *std::get<0>(GetParam()).system;
  Options options = [] {
    Options chosen = options_for(std::get<0>(GetParam()));
    chosen.method.pseudo_inverse = std::get<1>(GetParam());
    return test::with_affordable_code(*std::get<0>(GetParam()).system, chosen);
  }();

  Simulation started_default() const {
    Simulation simulation = simulate(system, options, 1);
    simulation.start(options.project_start);
    return simulation;
  }
};

class Figures : public Stated {};
class ClosedForm : public Stated {};
class ZeroInvariants : public Stated {};

/// Coordinate, rate or invariant of that name.
double value_of(Simulation& simulation, const SystemInfo& info, const std::string& name) {
  const auto find = [&](const std::vector<Variable>& table, const Vector& values, double& found) {
    const auto at = std::ranges::find(table, name, &Variable::name);
    if (at == table.end()) return false;
    found = values[at - table.begin()];
    return true;
  };
  double value = 0;
  if (find(info.coordinates, simulation.q(), value) || find(info.rates, simulation.w(), value)) return value;
  EXPECT_TRUE(find(info.invariants, simulation.member(simulation.observe(Field::invariants), 0), value)) << name;
  return value;
}

bool within_the_default_span(const System& system, const ExpectedFigure& figure) {
  return figure.time <= system.info.time.end;
}

TEST_P(Figures, AreMetByTheDefaultRun) {
  auto figures = system.info.figures;
  std::erase_if(figures, [&](const ExpectedFigure& each) { return !within_the_default_span(system, each); });
  std::ranges::stable_sort(figures, {}, &ExpectedFigure::time);
  Simulation simulation = started_default();
  for (const ExpectedFigure& figure : figures) {
    const long step = std::lround((figure.time - options.time.start) / options.time.dt);
    ASSERT_NEAR(options.time.at(step), figure.time, 1e-9) << figure.name << " is not expected at a step";
    simulation.advance(step - simulation.step);
    ASSERT_EQ(simulation.status(), Status::ok) << status_name(simulation.status());
    EXPECT_NEAR(value_of(simulation, system.info, figure.name), figure.value, figure.tolerance)
        << figure.name << " at " << figure.time << " s";
  }
}

/// Default starts of members with different parameters.
void start_apart(const System& system, Block& block) {
  spread(block);
  for (long i = 0; i < block.members; ++i) {
    const auto member = static_cast<std::size_t>(i);
    Vector p(block.parameter_count), q(block.coordinate_count), w(block.rate_count);
    for (int j = 0; j < p.size(); ++j) p[j] = block.parameter(j)[member];
    system.default_start(p.data(), q.data(), w.data());
    for (int j = 0; j < q.size(); ++j) block.coordinate(j)[member] = q[j];
    for (int j = 0; j < w.size(); ++j) block.rate(j)[member] = w[j];
  }
}

/// max |state - closed form| of a member, relative to its magnitude, at least 1.
double error(const Simulation& simulation, const System& system, long member) {
  const Instant x = simulation.instant(member);
  Vector q(x.q.size()), w(x.w.size());
  system.closed_form(x.p.data(), x.t, q.data(), w.data());
  const double size = std::max({1.0, q.lpNorm<Eigen::Infinity>(), w.lpNorm<Eigen::Infinity>()});
  return std::max((x.q - q).lpNorm<Eigen::Infinity>(), (x.w - w).lpNorm<Eigen::Infinity>()) / size;
}

TEST_P(ClosedForm, IsWhatTheDefaultRunFollows) {
  constexpr long members = 3;
  const auto worst = [&](double dt) {
    Options chosen = options;
    chosen.time.dt = dt;
    Simulation simulation = simulate(system, chosen, members);
    start_apart(system, simulation.block);
    simulation.start(chosen.project_start);
    double largest = 0;
    for (int part = 1; part <= 4; ++part) {
      simulation.advance(chosen.time.steps() * part / 4 - simulation.step);
      for (long i = 0; i < members; ++i) {
        EXPECT_EQ(simulation.status(i), Status::ok) << status_name(simulation.status(i));
        largest = std::max(largest, error(simulation, system, i));
      }
    }
    return largest;
  };
  const double at_dt = worst(options.time.dt);
  if (at_dt <= 1e-8) return;
  const double halved = worst(options.time.dt / 2);
  EXPECT_GE(std::log2(at_dt / halved), 3.5) << at_dt << ", then " << halved;
}

TEST_P(ZeroInvariants, StayZero) {
  Simulation simulation = started_default();
  const long steps = steps_within(std::get<0>(GetParam()), options, options.time.steps());
  for (int part = 0; part <= 4; ++part) {
    simulation.advance(steps * part / 4 - simulation.step);
    const Vector values = simulation.member(simulation.observe(Field::invariants), 0);
    const double scale = 1 + simulation.q().norm() + simulation.w().norm();
    for (std::size_t i = 0; i < system.info.invariants.size(); ++i) {
      if (system.info.invariance[i] != Invariance::zero) continue;
      EXPECT_LE(std::abs(values[static_cast<long>(i)]), 1e-12 * scale) << system.info.invariants[i].name;
    }
  }
}

bool states_figures(const System& system) {
  return std::ranges::any_of(system.info.figures,
                             [&](const auto& each) { return within_the_default_span(system, each); });
}
bool states_closed_form(const System& system) { return system.closed_form != nullptr; }
bool states_zero_invariants(const System& system) {
  return std::ranges::find(system.info.invariance, Invariance::zero) != system.info.invariance.end();
}

auto each_way(bool (*wanted)(const System&)) {
  return testing::Combine(testing::ValuesIn(all_cases(wanted)), testing::ValuesIn(test::all_pseudo_inverses()));
}
std::string way_name(const testing::TestParamInfo<std::tuple<Case, PseudoInverse>>& test) {
  return testing::PrintToString(std::get<0>(test.param)) + "_" +
         std::string(pseudo_inverse_name(std::get<1>(test.param)));
}

INSTANTIATE_TEST_SUITE_P(Systems, Figures, each_way(states_figures), way_name);
INSTANTIATE_TEST_SUITE_P(Systems, ClosedForm, each_way(states_closed_form), way_name);
INSTANTIATE_TEST_SUITE_P(Systems, ZeroInvariants, each_way(states_zero_invariants), way_name);

}  // namespace
}  // namespace kalaba
