// Steps of interpreted models agree with their formulas.

#include <gtest/gtest.h>

#include <cstring>

#include "backend/interpreted/register_steps.hpp"
#include "formula/code/instructions.hpp"
#include "formula/emitted_case.hpp"
#include "formula/mechanics/position_shift.hpp"
#include "formula/random_statement.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/packs.hpp"

namespace kalaba::formula {
namespace {

constexpr RegisterMap room = {8, 3, 16, 8};  // more than these models need

/// The registers of a state, and what steps leave in them.
template <class X>
class Carried {
 public:
  Carried(const InterpretedModel& model, const State& x)
      : model_(model), registers_(static_cast<std::size_t>(model.registers), X(0)) {
    for (const auto& [place, value] : model.constants) registers_[static_cast<std::size_t>(place)] = X(value);
    put(room.parameters(), x.p);
    carry_out(model_, model_.prepare, registers_.data());
    put(room.q(), x.q);
    put(room.w(), x.w);
    put(room.along(), x.ideal);
    put(room.t(), {x.t});
  }
  void carry_out_steps(const RegisterSteps& steps) { carry_out(model_, steps, registers_.data()); }
  const X& at(int place) const { return registers_[static_cast<std::size_t>(place)]; }

 private:
  void put(int first, const std::vector<double>& values) {
    for (const double value : values) registers_[static_cast<std::size_t>(first++)] = X(value);
  }

  const InterpretedModel& model_;
  std::vector<X> registers_;
};

void expect_bits(double found, double expected, const std::string& what) {
  if (std::isnan(found) && std::isnan(expected)) return;
  if (found == 0 && expected == 0) return;  // of either sign
  EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0) << what << ": " << found << ", expected " << expected;
}

/// The whole of A, as a plan of its entries has it.
std::vector<double> matrix_of(const InterpretedModel& model, const Carried<double>& carried) {
  std::vector<double> whole(static_cast<std::size_t>(room.rows * room.state), 0.0);
  const RowPlan& plan = model.matrix;
  for (int r = 0; r < room.rows; ++r) {
    for (int k = plan.begin[static_cast<std::size_t>(r)]; k < plan.begin[static_cast<std::size_t>(r) + 1]; ++k) {
      whole[static_cast<std::size_t>(r * room.state + plan.column[static_cast<std::size_t>(k)])] =
          carried.at(room.matrix() + k);
    }
  }
  return whole;
}

void expect_formulas(Draft& draft, unsigned seed) {
  const Terms terms = derive(draft.graph, draft.statement);
  const int parameters = static_cast<int>(draft.statement.info.parameters.size());
  const auto model = instructions(draft.graph, terms, parameters, room);
  if (terms.actuation.cols > 0 || terms.singular_metric) {
    EXPECT_EQ(model, nullptr);
    return;
  }
  ASSERT_NE(model, nullptr);
  const State x = random_state(draft.statement, seed);
  const Inputs at{x.p.data(), x.q.data(), x.w.data(), x.ideal.data(), &x.t};
  Carried<double> carried(*model, x);
  const auto expect = [&](const std::vector<Id>& values, int first, const std::string& what) {
    const std::vector<double> expected = Program(draft.graph, values)(at);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_bits(carried.at(first + static_cast<int>(i)), expected[i], what + ' ' + std::to_string(i));
    }
  };
  const auto expect_one = [&](const std::optional<Id>& value, const RegisterSteps& steps, const std::string& what) {
    if (!value) return;
    carried.carry_out_steps(steps);
    expect({*value}, room.results(), what);
  };
  const auto expect_constraints = [&] {
    expect(terms.inverse_root.empty() ? terms.metric : terms.inverse_root, room.metric(), "metric");
    expect(terms.phi, room.position(), "phi");
    expect(terms.phi_dot, room.rate(), "phi'");
    expect(terms.psi, room.rate() + static_cast<int>(terms.phi.size()), "psi");
    for (int r = 0; r < terms.A.rows; ++r) {
      for (int i = 0; i < terms.A.cols; ++i) {
        const double expected = Program(draft.graph, std::vector{terms.A(r, i)})(at)[0];
        expect_bits(matrix_of(*model, carried)[static_cast<std::size_t>(r * room.state + i)], expected, "A");
      }
    }
  };
  carried.carry_out_steps(model->constraint_stage);
  expect_constraints();
  for (int twice = 0; twice < 2; ++twice) {  // an observation in between leaves a stage unchanged
    carried.carry_out_steps(model->stage);
    expect_constraints();
    expect(terms.velocity, room.velocity(), "velocity");
    expect(terms.force, room.force(), "force");
    expect(terms.b, room.b(), "b");
    expect_one(terms.energy, model->energy, "energy");
    expect_one(terms.valid, model->valid, "valid");
    carried.carry_out_steps(model->invariant);
    expect(terms.invariants, room.results(), "invariant");
    carried.carry_out_steps(model->non_ideal);
    expect(terms.non_ideal, room.results(), "non-ideal force");
  }
  if (terms.gain) expect({*terms.gain}, room.gains(), "gain");
  if (terms.position_gain) expect({*terms.position_gain}, room.gains() + 1, "position gain");
  if (!terms.velocity_is_w) {
    carried.carry_out_steps(model->shift);
    const auto jacobian = Program(draft.graph, terms.velocity_jacobian.entries)(at);
    const auto whole = Program(draft.graph, position_shift(draft.graph, terms))(at);
    for (std::size_t i = 0; i < terms.velocity.size(); ++i) {
      double slope = 0;
      for (std::size_t j = 0; j < x.w.size(); ++j) slope += jacobian[i * x.w.size() + j] * x.ideal[j];
      const double found = carried.at(room.results() + static_cast<int>(i));
      expect_bits(found, whole[i], "shift");
      if (terms.has_unreached() || !std::isfinite(slope)) continue;
      EXPECT_NEAR(found, slope, 1e-13 * (1 + std::abs(slope)));
    }
  }
}

TEST(RegisterSteps, OfRandomStatementsHaveTheBitsOfTheFormulas) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Draft draft = random_statement(seed);
    expect_formulas(draft, seed);
  }
}

TEST(RegisterSteps, OfSeveralPacksAtOnceHaveTheBitsOfOnePack) {
  using One = Pack<double>;
  using Several = Packs<One, 3>;
  for (unsigned seed = 0; seed < 50; seed += 2) {  // those without a servo
    SCOPED_TRACE(seed);
    Draft draft = random_statement(seed);
    const auto model = instructions(draft.graph, derive(draft.graph, draft.statement), 2, room);
    ASSERT_NE(model, nullptr);
    const State x = random_state(draft.statement, seed);
    Carried<One> one(*model, x);
    Carried<Several> several(*model, x);
    one.carry_out_steps(model->stage);
    several.carry_out_steps(model->stage);
    for (int place = room.velocity(); place < room.results(); ++place) {
      for (const int lane : {0, Several::lanes - 1}) {
        expect_bits(lane_of(several.at(place), lane), lane_of(one.at(place), 0), "register " + std::to_string(place));
      }
    }
  }
}

TEST(RegisterSteps, OfStatedModelsHaveTheBitsOfTheFormulas) {
  unsigned seed = 0;
  for (Draft& draft : all_models()) {
    SCOPED_TRACE(draft.statement.info.name);
    if (draft.statement.nw() + 3 <= room.state) expect_formulas(draft, ++seed);
  }
}

/// Padding of a model to the size of the registers: unit metric, and rows that constrain one rate each.
TEST(RegisterSteps, FillUpWithRatesAtRest) {
  Draft draft = bead();
  const Terms terms = derive(draft.graph, draft.statement);
  const auto model = instructions(draft.graph, terms, 3, room);
  ASSERT_NE(model, nullptr);
  Carried<double> carried(*model, random_state(draft.statement, 1));
  carried.carry_out_steps(model->stage);
  for (int i = 2; i < room.state; ++i) {
    const int place = model->metric == MetricKind::symmetric ? i * (i + 1) / 2 + i : i;
    EXPECT_EQ(carried.at(room.metric() + place), 1) << i;
    EXPECT_EQ(carried.at(room.force() + i), 0) << i;
    EXPECT_EQ(carried.at(room.velocity() + i), 0) << i;
  }
  for (int r = 1; r < room.rows; ++r) {
    EXPECT_EQ(carried.at(room.b() + r), 0);
    for (int i = 0; i < room.state; ++i) {
      const double entry = matrix_of(*model, carried)[static_cast<std::size_t>(r * room.state + i)];
      EXPECT_EQ(entry, i == 2 + r - 1 ? 1 : 0) << r << ' ' << i;
    }
  }
}

TEST(RegisterSteps, AreNoneOfAModelThatHasMoreThanThereIsRoomFor) {
  Draft draft = bead();
  const Terms terms = derive(draft.graph, draft.statement);
  EXPECT_NE(instructions(draft.graph, terms, 3, {2, 1, 3, 1}), nullptr);
  EXPECT_EQ(instructions(draft.graph, terms, 3, {2, 1, 2, 1}), nullptr);  // parameters
  EXPECT_EQ(instructions(draft.graph, terms, 3, {2, 0, 3, 1}), nullptr);  // constraints
  EXPECT_EQ(instructions(draft.graph, terms, 3, {2, 2, 3, 1}), nullptr);  // no rate for the row that fills up
  EXPECT_NE(instructions(draft.graph, terms, 3, {2, 2, 3, 1, false}), nullptr);
  EXPECT_EQ(instructions(draft.graph, terms, 3, {1, 1, 3, 1}), nullptr);
}

}  // namespace
}  // namespace kalaba::formula
