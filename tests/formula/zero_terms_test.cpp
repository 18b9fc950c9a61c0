// Sums that vanish identically become the number 0; sums that are merely small do not.

#include "formula/graph/zero_terms.hpp"

#include <gtest/gtest.h>

#include "formula/graph/program.hpp"
#include "formula/mechanics/derive.hpp"
#include "formula/mechanics/position_shift.hpp"
#include "models.hpp"

namespace kalaba::formula {
namespace {

/// Symbols with typical values, in a separate graph.
struct Typical {
  Graph graph;
  TypicalValues values;

  Word parameter(double value) {
    values.parameters.push_back(value);
    return {&graph, graph.symbol(Op::parameter, static_cast<int>(values.parameters.size()) - 1)};
  }
  Word coordinate(double value) {
    values.coordinates.push_back(value);
    return {&graph, graph.symbol(Op::coordinate, static_cast<int>(values.coordinates.size()) - 1)};
  }
  bool vanishes(const Word& word) { return graph.is_number(without_zeros(graph, {word.id}, values)[0], 0); }
};

TEST(ZeroTerms, IdentitiesVanish) {
  Typical of;
  const Word x = of.coordinate(1);
  const Word y = of.coordinate(0);
  const Word c = of.parameter(0.3);
  EXPECT_TRUE(of.vanishes(square(x + y) - square(x) - 2 * x * y - square(y)));
  EXPECT_TRUE(of.vanishes(sin(x + y) - sin(x) * cos(y) - cos(x) * sin(y)));
  EXPECT_TRUE(of.vanishes(c * (x - y) * (x + y) - c * square(x) + c * square(y)));
  EXPECT_TRUE(of.vanishes(0.1 * x + 0.2 * x - 0.3 * x));
  EXPECT_TRUE(of.vanishes(1 / (x - y) - (x + y) / (square(x) - square(y))));
}

/// In any units, including cases where default values would hide a term.
TEST(ZeroTerms, SmallTermsDoNot) {
  Typical of;
  const Word x = of.coordinate(1);
  const Word y = of.coordinate(0);
  const Word tilt = of.parameter(1e-17);
  const Word nothing = of.parameter(0);
  const Word length = of.parameter(1e-9);
  EXPECT_FALSE(of.vanishes(x + tilt * y - x));
  EXPECT_FALSE(of.vanishes(x + nothing * y - x));
  EXPECT_FALSE(of.vanishes(square(x + 1e-6 * y) - square(x)));
  EXPECT_FALSE(of.vanishes(length * x - length * y));
  EXPECT_FALSE(of.vanishes(sqrt(1 - square(y / 3e8)) - 1));
  EXPECT_FALSE(of.vanishes(1e-20 * (x - y)));
  // Outside the range of the sample points, they do not.
  EXPECT_FALSE(of.vanishes(max(x - 1e12, constant(x, 0)) + min(x, constant(x, 1e12)) - x));
}

TEST(ZeroTerms, LeaveTheOthersAsTheyAre) {
  for (Draft& draft : all_models()) {
    SCOPED_TRACE(draft.statement.info.name);
    const Terms terms = derive(draft.graph, draft.statement);
    EXPECT_FALSE(terms.has_unreached());
    for (int r = 0; r < terms.A.rows; ++r) {
      bool empty = true;
      for (int j = 0; j < terms.A.cols; ++j) empty = empty && draft.graph.is_number(terms.A(r, j), 0);
      EXPECT_FALSE(empty) << r;
    }
  }
}

/// Torque-free body: its rates preserve the norm of its quaternion, and therefore cannot restore it.
Draft free_body() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "free_body";
  const Word e0 = d.coordinate("e0"), e1 = d.coordinate("e1"), e2 = d.coordinate("e2"), e3 = d.coordinate("e3");
  const Word w1 = d.rate("w1"), w2 = d.rate("w2"), w3 = d.rate("w3");
  s.metric = {d.number(1), d.number(2), d.number(3)};
  s.diagonal = true;
  s.force = {-1 * w2 * w3, 2 * w3 * w1, -1 * w1 * w2};
  s.velocity = {-(e1 * w1 + e2 * w2 + e3 * w3) / 2, (e0 * w1 - e3 * w2 + e2 * w3) / 2,
                (e3 * w1 + e0 * w2 - e1 * w3) / 2, (e1 * w2 - e2 * w1 + e0 * w3) / 2};
  s.holonomic = {{"unit", "", "", square(e0) + square(e1) + square(e2) + square(e3) - 1}};
  s.start_q = {d.number(1), d.number(0), d.number(0), d.number(0)};
  s.start_w = {d.number(0.1), d.number(5), d.number(0.1)};
  span(d, 1, 1e-2);
  return d;
}

TEST(ZeroTerms, AConstraintThatTheKinematicsKeepHasNoRow) {
  Draft d = free_body();
  const Terms terms = derive(d.graph, d.statement);
  for (const Id each : terms.A.entries) EXPECT_TRUE(d.graph.is_number(each, 0));
  EXPECT_TRUE(d.graph.is_number(terms.b[0], 0));
  EXPECT_TRUE(d.graph.is_number(terms.phi_dot[0], 0));
  ASSERT_TRUE(terms.has_unreached());
  // The shift along the gradient brings a quaternion that is off back to its norm, up to the square of its error.
  const Program shift(d.graph, position_shift(d.graph, terms));
  std::vector<double> q = {0.6, 0.5, -0.4, 0.48};
  const std::vector<double> w = {1, 2, 3};
  const std::vector<double> none = {0, 0, 0};
  const double time = 0;
  double error = 1;
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> by = shift({nullptr, q.data(), w.data(), none.data(), &time});
    double norm = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      q[k] -= by[k];
      norm += q[k] * q[k];
    }
    EXPECT_LE(std::abs(norm - 1), std::max(error * error, 1e-15));
    error = std::abs(norm - 1);
  }
  EXPECT_LE(error, 1e-15);
}

/// A constraint stated twice is corrected only once.
TEST(ZeroTerms, RestoreWhatIsStatedTwiceOnce) {
  Draft d = free_body();
  d.statement.holonomic.push_back(d.statement.holonomic[0]);
  const Terms terms = derive(d.graph, d.statement);
  const Program shift(d.graph, position_shift(d.graph, terms));
  const std::vector<double> q = {1.001, 0, 0, 0};
  const std::vector<double> none = {0, 0, 0};
  const double time = 0;
  const std::vector<double> by = shift({nullptr, q.data(), none.data(), none.data(), &time});
  EXPECT_NEAR(by[0], 0.001, 1e-6);
}

}  // namespace
}  // namespace kalaba::formula
