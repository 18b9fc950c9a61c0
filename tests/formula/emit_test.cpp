#include "formula/code/emit.hpp"

#include <gtest/gtest.h>

#include "emitted_case.hpp"
#include "formula/mechanics/elimination.hpp"
#include "random_statement.hpp"
#include "support/error_of.hpp"

namespace kalaba::formula {
namespace {

/// Rates of which the first couples two branches, as those of a tree of bodies.
Draft branches() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "branches";
  const Word m = d.parameter("m", 2);
  std::vector<Word> q;
  for (const char* name : {"a", "b1", "b2", "c1", "c2"}) q.push_back(d.coordinate(name));
  for (const char* name : {"a_dot", "b1_dot", "b2_dot", "c1_dot", "c2_dot"}) d.rate(name);
  const Id zero = d.number(0).id;
  const auto coupling = [&](int i) { return (0.3 * cos(q[static_cast<std::size_t>(i)])).id; };
  const Id own = (m + square(q[0])).id;
  s.metric = {own,  coupling(1), own,         coupling(2), coupling(3), own,         coupling(3), zero,
              zero, own,         coupling(4), zero,        zero,        coupling(0), own};
  s.force = {(-q[0]).id, (-q[1]).id, (-q[2]).id, (-q[3]).id, (-q[4]).id};
  s.holonomic = {{"tie", "", "", (q[2] - q[4]).id}, {"second", "", "", (q[1] - sin(q[3])).id}};
  s.start_q = {zero, zero, zero, zero, zero};
  return d;
}

TEST(Emitting, ATreesMetricIsStoredWithoutItsZeros) {
  Draft draft = branches();
  const Terms terms = derive(draft.graph, draft.statement);
  const std::string text = emit(draft.graph, terms, 1).text;
  EXPECT_NE(text.find("SparseSymmetric"), std::string::npos);
  EXPECT_NE(text.find("struct FactorPattern"), std::string::npos);
  EXPECT_EQ(factor_pattern(draft.graph, terms), (RowPattern{{1, 2, 3, 4}, {2}, {}, {4}, {}}));
}

TEST(Emitting, ModelsHaveTheInterpretersTerms) {
  Case all = all_stated_models();
  Draft tree = branches();
  add_case(tree, all, 99);
  EmittedProgram emitted(program(all));
  ASSERT_EQ(emitted.compile(KALABA_CXX, exact), "");
  expect_same(emitted.run(), all.expected, 1e-14);
}

TEST(Emitting, RandomStatementsHaveTheInterpretersTerms) {
  Case all;
  for (unsigned seed = 0; seed < 12; ++seed) {
    Draft draft = random_statement(seed);
    add_case(draft, all, seed);
  }
  EmittedProgram emitted(program(all));
  ASSERT_EQ(emitted.compile(KALABA_CXX, exact), "");
  expect_same(emitted.run(), all.expected, 1e-12);
}

TEST(Emitting, CompilesForEveryNumberUnderClang) {
  if (!is_there("clang++")) GTEST_SKIP() << "no clang++ here";
  Case all = all_stated_models();
  for (unsigned seed = 20; seed < 26; ++seed) {
    Draft draft = random_statement(seed);
    add_case(draft, all, seed);
  }
  EmittedProgram emitted(program(all));
  ASSERT_EQ(emitted.compile("clang++", exact), "");
  expect_same(emitted.run(), all.expected, 1e-12);
}

/// Packs of doubles and floats and plain floats; velocities of dual numbers of them.
TEST(Emitting, CompilesForPacks) {
  Case all = all_stated_models();
  Draft tree = branches();
  add_case(tree, all, 99);
  for (unsigned seed = 30; seed < 34; ++seed) {
    Draft draft = random_statement(seed);
    add_case(draft, all, seed);
  }
  const std::string uses = R"(
#include "kalaba/backend/pack.hpp"
template <class M, class X> void use() {
  Vec<X, Dim<M>::parameters> raw{};
  Vec<X, Dim<M>::q> q{};
  Vec<X, Dim<M>::w> w{};
  const auto p = prepared<M>(raw);
  const auto terms = M::terms(p, X(1), q, w);
  (void)terms;
  using D = Dual<X, 1>;
  if constexpr (ModelParts<M>::has_velocity) (void)M::velocity(p, D(1), constants<D>(q), constants<D>(w));
  if constexpr (ModelParts<M>::has_valid) (void)M::valid(p, X(1), q, w);
  if constexpr (ModelParts<M>::has_energy) (void)M::energy(p, X(1), q, w);
  if constexpr (ModelParts<M>::has_non_ideal) (void)M::non_ideal(p, X(1), q, w, w);
  if constexpr (ModelParts<M>::has_gain) (void)X(M::gain(p));
}
)";
  std::string calls;
  for (auto at = all.calls.find('<'); at != std::string::npos; at = all.calls.find("  show_terms<", at)) {
    at = all.calls.find('<', at);
    const std::string name = all.calls.substr(at + 1, all.calls.find('>', at) - at - 1);
    for (const char* real : {"Pack<double>", "Pack<float>", "float"}) {
      calls += "  use<" + name + ", " + real + ">();\n";
    }
  }
  EmittedProgram emitted(prologue + uses + all.text + "int main() {\n" + calls + "}\n");
  EXPECT_EQ(emitted.compile(KALABA_CXX,
                            "-O1 -march=native -Wno-unknown-warning-option -Wno-array-bounds -Wno-maybe-uninitialized "
                            "-Wno-uninitialized"),
            "");
}

TEST(Emitting, IsTheSameTextForTheSameModel) {
  Draft first = chaplygin_sleigh_energy();
  Draft second = chaplygin_sleigh_energy();
  sin(second.parameter("unused", 1) + second.time());
  const std::string text = emit(first.graph, derive(first.graph, first.statement), 3).text;
  EXPECT_EQ(text, emit(second.graph, derive(second.graph, second.statement), 3).text);
}

/// Bead with a separate mass along each axis.
TEST(Emitting, WeighsASingleRowByItsMetric) {
  Draft d = bead();
  const Word x_dot = {&d.graph, d.graph.symbol(Op::rate, 0)};
  const Word m = {&d.graph, d.graph.symbol(Op::parameter, 0)};
  d.statement.lagrangian = Word{&d.graph, *d.statement.lagrangian} + m * square(x_dot);
  Case all;
  add_case(d, all, 3);
  EXPECT_NE(all.text.find("single_row"), std::string::npos);
  EmittedProgram emitted(program(all));
  ASSERT_EQ(emitted.compile(KALABA_CXX, exact), "");
  expect_same(emitted.run(), all.expected, 1e-14);
}

TEST(Emitting, HoistsWhatDependsOnParametersAlone) {
  Draft d = bead();
  const std::string text = emit(d.graph, derive(d.graph, d.statement), 3).text;
  const auto count = [&](const std::string& words) {
    long found = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("p[0] * p[2]"), 1) << text;  // m g, in prepare alone
  EXPECT_LT(text.find("p[0] * p[2]"), text.find(" start("));
}

TEST(Emitting, OfALargeMatrixWritesWhatIsNotZero) {
  Case all;
  Draft d = chain(24);  // A is 24 x 48
  add_case(d, all, 1);
  EXPECT_LT(all.text.size(), 60'000U);
  EmittedProgram emitted(program(all));
  ASSERT_EQ(emitted.compile(KALABA_CXX, exact), "");
  expect_same(emitted.run(), all.expected, 1e-14);
}

TEST(Emitting, SmallModelsThatCallNothingSaySo) {
  const auto flies = [](Draft d, int parameters) {
    const std::string text = emit(d.graph, derive(d.graph, d.statement), parameters).text;
    return text.find("packs_in_flight = 2;") != std::string::npos;
  };
  EXPECT_TRUE(flies(bead(), 3));
  EXPECT_FALSE(flies(chain(24), 3)) << "more than one constraint";
  Draft waving = bead();
  const Word q = {&waving.graph, waving.graph.symbol(Op::coordinate, 0)};
  waving.statement.force = {sin(q), waving.graph.number(0)};
  EXPECT_FALSE(flies(waving, 3)) << "a call keeps no registers";
  Draft long_one = bead();
  Word f = {&long_one.graph, long_one.graph.symbol(Op::coordinate, 0)};
  for (int i = 0; i < 60; ++i) f = f * f + 1.5;
  long_one.statement.force = {f, long_one.graph.number(0)};
  EXPECT_FALSE(flies(long_one, 3)) << "more numbers than registers";
}

TEST(Emitting, RefusesAModelThatIsTooLarge) {
  Draft d = bead();
  Word f = {&d.graph, d.graph.symbol(Op::coordinate, 0)};
  for (int i = 0; i < most_emitted_operations; ++i) f = sin(f) + 1.5;
  d.statement.force = {f, d.graph.number(0)};
  const Terms terms = derive(d.graph, d.statement);
  const Error error = test::error_of([&] { emit(d.graph, terms, 3); });
  EXPECT_EQ(error.code(), ExitCode::bad_input);
  EXPECT_NE(std::string(error.what()).find("at most " + std::to_string(most_emitted_operations)), std::string::npos)
      << error.what();
}

}  // namespace
}  // namespace kalaba::formula
