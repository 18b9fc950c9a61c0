#include "formula/mechanics/derive.hpp"

#include <gtest/gtest.h>

#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/make_system.hpp"
#include "models.hpp"
#include "motion.hpp"

namespace kalaba::formula {
namespace {

Terms terms_of(Draft& draft) { return derive(draft.graph, draft.statement); }

std::vector<Id> ids(std::initializer_list<Word> words) { return {words.begin(), words.end()}; }

TEST(Deriving, ALagrangianGivesMassForceAndEnergy) {
  Draft d = bead();
  const Terms terms = terms_of(d);
  const Word m = {&d.graph, d.graph.symbol(Op::parameter, 0)}, c = {&d.graph, d.graph.symbol(Op::parameter, 1)};
  const Word g = {&d.graph, d.graph.symbol(Op::parameter, 2)};
  const Word x = {&d.graph, d.graph.symbol(Op::coordinate, 0)}, x_dot = {&d.graph, d.graph.symbol(Op::rate, 0)};
  const Word y_dot = {&d.graph, d.graph.symbol(Op::rate, 1)};
  EXPECT_EQ(terms.formulation, Formulation::lagrange);
  EXPECT_TRUE(terms.diagonal);
  EXPECT_EQ(terms.metric, ids({m, m}));
  EXPECT_EQ(terms.force, ids({d.number(0), -(m * g)}));
  EXPECT_EQ(terms.A.entries, ids({-(c * (2 * x)), d.number(1)}));
  EXPECT_EQ(terms.phi_dot, ids({y_dot - c * (2 * x * x_dot)}));
  EXPECT_EQ(terms.b, ids({2 * (c * square(x_dot))}));
}

TEST(Deriving, AHamiltonianGivesMetricForceVelocityAndEnergy) {
  Draft d = spherical_pendulum();
  const Terms terms = terms_of(d);
  const Word m = {&d.graph, d.graph.symbol(Op::parameter, 0)}, g = {&d.graph, d.graph.symbol(Op::parameter, 2)};
  const Word p_x = {&d.graph, d.graph.symbol(Op::rate, 0)};
  EXPECT_EQ(terms.formulation, Formulation::hamilton);
  EXPECT_TRUE(terms.diagonal);
  EXPECT_EQ(terms.metric, ids({1 / m, 1 / m, 1 / m}));
  EXPECT_EQ(terms.force, ids({d.number(0), d.number(0), m * g}));
  EXPECT_EQ(terms.velocity[0], (p_x / m).id);
  EXPECT_EQ(terms.energy, d.statement.hamiltonian);
}

TEST(Deriving, WhatCancelsInATermOfTheLagrangianIsGone) {
  Draft d = balanced_rod();
  const Terms terms = terms_of(d);
  const Word m = {&d.graph, d.graph.symbol(Op::parameter, 0)}, l = {&d.graph, d.graph.symbol(Op::parameter, 1)};
  const Word g = {&d.graph, d.graph.symbol(Op::parameter, 2)}, theta = {&d.graph, d.graph.symbol(Op::coordinate, 1)};
  EXPECT_EQ(terms.force[1], (m * g * l * sin(theta)).id);
}

TEST(Deriving, QuasiVelocitiesTakeAConstantMetricFromALagrangian) {
  Draft d = chaplygin_sleigh_energy();
  const Terms found = terms_of(d);
  EXPECT_EQ(found.formulation, Formulation::kane);
  for (const Id entry : found.metric) EXPECT_FALSE(depends_on(d.graph, entry, Op::coordinate));
}

TEST(Deriving, QuasiVelocitiesFromALagrangianAreTheTermsStated) {
  Draft stated = chaplygin_sleigh();
  Draft energy = chaplygin_sleigh_energy();
  const Terms expected = terms_of(stated);
  const Terms found = terms_of(energy);
  const double p[] = {2, 0.7, 0.3}, q[] = {0.1, -0.4, 0.9}, w[] = {1.1, 0.6, -0.7}, t = 0;
  const Inputs at{p, q, w, nullptr, &t};
  const auto expect_same = [&](const std::vector<Id>& a, const std::vector<Id>& b) {
    const auto left = Program(energy.graph, a)(at);
    const auto right = Program(stated.graph, b)(at);
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) EXPECT_NEAR(left[i], right[i], 1e-14);
  };
  expect_same(found.metric, expected.metric);
  expect_same(found.force, expected.force);
  expect_same({*found.energy}, {*expected.energy});
  expect_same(found.A.entries, expected.A.entries);
}

TEST(Deriving, ARowOfAHasOnlyWhatItsConstraintNeeds) {
  Draft d = chain(6);
  const Terms terms = terms_of(d);
  const Id zero = d.graph.number(0);
  for (int r = 0; r < 6; ++r) {
    for (int j = 0; j < 12; ++j) {
      const bool touches = j / 2 == r || j / 2 == r - 1;
      EXPECT_EQ(terms.A(r, j) != zero, touches) << r << ' ' << j;
    }
  }
}

TEST(Deriving, AMetricThatMayBeSingularIsATriangle) {
  Draft d = lever();
  const Terms terms = terms_of(d);
  EXPECT_FALSE(terms.diagonal);
  EXPECT_EQ(terms.metric.size(), 6U);
  EXPECT_EQ(terms.metric_entry(1, 0), d.graph.number(0));
}

TEST(Deriving, EveryKindOfStatementReproducesItsFiguresOnTheReference) {
  for (Draft& draft : all_models()) {
    const System system = make_system(std::move(draft.graph), draft.statement);
    if (!system.info.figures.empty()) expect_figures(system, system.reference);
  }
}

TEST(Deriving, EnergyIsConstantWhereNothingTakesIt) {
  for (Draft& draft : all_models()) {
    const std::string name = draft.statement.info.name;
    if (name == "rough_ring" || name == "balanced_rod" || name == "driven_particle") continue;
    const System system = make_system(std::move(draft.graph), draft.statement);
    const Options options = options_of(system.info);
    Motion motion(system, system.reference(options), options);
    const double before = motion.observe(Field::energy)[0];
    motion.advance_to(0.5);
    ASSERT_EQ(motion.status(), Status::ok);
    EXPECT_NEAR(motion.observe(Field::energy)[0], before, 1e-9 * (1 + std::abs(before))) << name;
  }
}

StatementError fault_of(Draft& draft) {
  try {
    terms_of(draft);
  } catch (const StatementError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was refused";
  return {"", 0, ""};
}

TEST(Deriving, RefusesAnEnergyOfAnotherDegreeAndSaysWhereItIs) {
  Draft d = spherical_pendulum();
  const Word p_x = {&d.graph, d.graph.symbol(Op::rate, 0)}, m = {&d.graph, d.graph.symbol(Op::parameter, 0)};
  const Word rest = {&d.graph, *d.statement.hamiltonian};
  const Word quartic = pow(p_x, 4) / (2 * m);
  d.statement.hamiltonian = rest + quartic;
  const StatementError error = fault_of(d);
  EXPECT_STREQ(error.what(), "a Hamiltonian is of second degree in the momenta, found degree 4");
  EXPECT_EQ(error.part, "hamiltonian");
  EXPECT_EQ(error.degree, 4);
  EXPECT_EQ(error.rate, 0);
  EXPECT_EQ(degree(d.graph, error.at, Op::rate), 4);

  d.statement.hamiltonian = sin(p_x) + rest;
  EXPECT_EQ(fault_of(d).degree, not_polynomial);
  d.statement.hamiltonian = p_x * m;
  EXPECT_EQ(fault_of(d).degree, 1);
}

TEST(Deriving, RefusesWhatDependsOnWhatItMayNot) {
  const auto refused = [](const auto& change, const std::string& part, int entry) {
    Draft d = rough_ring();
    change(d, Word{&d.graph, d.graph.symbol(Op::rate, 0)});
    const StatementError error = fault_of(d);
    EXPECT_EQ(error.part, part);
    EXPECT_EQ(error.entry, entry);
  };
  refused([](Draft& d, const Word& v) { d.statement.holonomic[0].value = square(v); }, "holonomic", 0);
  refused([](Draft& d, const Word& v) { d.statement.metric[1] = square(v); }, "metric", 1);
  refused([](Draft& d, const Word&) { d.statement.force[0] = d.ideal(0); }, "force", 0);
  refused([](Draft& d, const Word&) { d.statement.start_q[1] = d.graph.symbol(Op::time, 0); }, "start_q", 1);
  refused([](Draft& d, const Word&) { d.statement.start_q[1] = d.graph.symbol(Op::coordinate, 1); }, "start_q", 1);
  refused([](Draft& d, const Word& v) { d.statement.gain = v; }, "gain", -1);
  refused([](Draft& d, const Word&) { d.statement.force.pop_back(); }, "force", -1);
  refused([](Draft& d, const Word& v) { d.statement.hamiltonian = square(v); }, "metric", -1);
}

}  // namespace
}  // namespace kalaba::formula
