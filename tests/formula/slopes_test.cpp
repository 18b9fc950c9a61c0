// Derivatives of emitted models, compared with dual numbers through their terms.

#include "formula/code/slopes.hpp"

#include <gtest/gtest.h>

#include "emitted_case.hpp"
#include "random_statement.hpp"
#include "support/error_of.hpp"

namespace kalaba::formula {
namespace {

const std::string compared = R"(
template <class T> auto entry(const T& metric, int i, int j) {
  if constexpr (requires { metric.inverse_root; }) {
    const auto& r = metric.inverse_root[i];
    return i == j ? 1.0 / (r * r) : r * 0.0;
  } else if constexpr (requires { metric.entry(0, 0); }) {
    return metric.entry(i < j ? j : i, i < j ? i : j);
  } else {
    return i == j ? metric.entry[i] : metric.entry[i] * 0.0;
  }
}
/// Prints the difference of every directional derivative of M::Motion along (dq, dw) and the first parameter from that
/// of dual numbers.
template <class M, class P, class Q, class W>
void show_slopes(const P& raw, double t, const Q& q, const W& w, const W& dw) {
  using D = Dual<double, 1>;
  constexpr int n = Dim<M>::w, m = Dim<M>::constraints;
  constexpr bool momenta = M::formulation == Formulation::hamilton, apart = momenta || ModelParts<M>::has_non_ideal;
  Vec<double, M::Motion::known> x;
  for (int i = 0; i < x.size; ++i) x[i] = 0.3 + 0.21 * i - 0.02 * i * i;
  Q dq;
  for (int i = 0; i < dq.size; ++i) dq[i] = 0.7 - 0.3 * i;
  const auto p = M::prepare(raw);
  const auto kept = M::Motion::keep(p, t, q, w, x);
  auto found = M::Motion::along(p, kept, dq.data, dw.data, static_cast<const double*>(nullptr));
  M::Motion::add_own(1, p, kept, found);

  auto moved_p = constants<D>(raw);
  moved_p[0].slope[0] = 1;
  const auto prepared_p = M::prepare(moved_p);
  const auto moved_q = along(q, dq);
  const auto moved_w = along(w, dw);
  const auto terms = M::terms(prepared_p, D(t), moved_q, moved_w);
  const double* const held = x.data + (momenta ? n : 0);
  const double* const effort = held + n;
  int row = 0;
  const auto compare = [&](const D& expected) {
    const double scale = 1 + ::fabs(expected.slope[0]);
    printf("%a\n", (found[row] - expected.slope[0]) / scale);
    ++row;
  };
  if constexpr (ModelParts<M>::has_velocity) for (const D& each : terms.velocity.data) compare(each);
  Vec<D, n> reaction;
  for (int i = 0; i < n; ++i) {
    reaction[i] = D(0.0);
    if constexpr (ModelParts<M>::actuated) {
      const auto S = M::actuation(prepared_p, D(t), moved_q);
      for (int j = 0; j < S.cols; ++j) reaction[i] = reaction[i] + S(i, j) * effort[j];
    } else {
      for (int r = 0; r < m; ++r) reaction[i] = reaction[i] + terms.matrix(r, i) * effort[r];
    }
  }
  for (int i = 0; i < n; ++i) {
    D sum = apart ? reaction[i] : reaction[i] + terms.force[i];
    for (int j = 0; j < n; ++j) sum = sum - entry(terms.metric, i, j) * held[j];
    compare(sum);
  }
  if constexpr (m > 0) {
    ConstraintState<M, D> state = {terms.position, terms.rate, terms.b};
    state.add_feedback(Solo{}, prepared_p, {Stabilization::Kind::feedback, x[x.size - 2], x[x.size - 1]});
    for (int r = 0; r < m; ++r) {
      D sum = state.b[r];
      for (int i = 0; i < n; ++i) sum = sum - terms.matrix(r, i) * x[i];
      compare(sum);
    }
  }
  if constexpr (apart) for (const D& each : terms.force.data) compare(each);
  if constexpr (apart && !momenta) for (const D& each : reaction.data) compare(each);
  if (row != M::Motion::rows) printf("%a\n", 1.0 * (row - M::Motion::rows));
}
)";

const std::string compared_row = R"(
/// Prints the difference of every directional derivative of a group of a single row along (dq, dw) and the first
/// parameter from `expected`.
template <class Group, class P, class Q, class W, class Known, class D, int N>
void show_group(const P& p, double t, const Q& q, const W& w, const Q& dq, const W& dw, const Known& x,
                const Vec<D, N>& expected) {
  static_assert(Group::rows == N);
  const auto kept = Group::keep(p, t, q, w, x);
  auto found = Group::along(p, kept, dq.data, dw.data, static_cast<const double*>(nullptr));
  Group::add_own(1, p, kept, found);
  for (int i = 0; i < N; ++i) printf("%a\n", (found[i] - expected[i].slope[0]) / (1 + ::fabs(expected[i].slope[0])));
}
template <class M, class P, class Q, class W>
void show_row_slopes(const P& raw, double t, const Q& q, const W& w, const W& dw) {
  using D = Dual<double, 1>;
  constexpr int nq = Dim<M>::q, n = Dim<M>::w, first = ModelParts<M>::has_velocity ? nq : 0;
  Q dq;
  for (int i = 0; i < nq; ++i) dq[i] = 0.7 - 0.3 * i;
  const auto p = M::prepare(raw);
  auto moved_p = constants<D>(raw);
  moved_p[0].slope[0] = 1;
  const auto prepared_p = M::prepare(moved_p);
  const auto row = M::single_row(prepared_p, D(t), along(q, dq), along(w, dw));
  const Vec<double, 3> x = {0.83, 0.4, 0.7};  // the multiplier, and gains of feedback
  Vec<D, first + n + 1> motion;
  for (int i = 0; i < first; ++i) motion[i] = row.velocity[i];
  for (int i = 0; i < n; ++i) motion[first + i] = row.free[i] + row.column[i] * x[0];
  motion[first + n] = row.defect + row.rate[0] * x[1] + row.gram * x[0];
  if constexpr (Dim<M>::holonomic > 0) motion[first + n] = motion[first + n] + row.position[0] * x[2];
  show_group<typename M::RowMotion>(p, t, q, w, dq, dw, x, motion);
  Vec<D, n + 1> turn;
  for (int i = 0; i < n; ++i) turn[i] = row.column[i] * x[0];
  turn[n] = row.rate[0] + row.gram * x[0];
  show_group<typename M::RowTurn>(p, t, q, w, dq, dw, Vec<double, 1>{{x[0]}}, turn);
  if constexpr (Dim<M>::holonomic > 0) {
    Vec<D, nq + 1> shift;
    for (int i = 0; i < nq; ++i) shift[i] = row.shift[i] * x[0];
    shift[nq] = row.position[0] + row.gram * x[0];
    show_group<typename M::RowPosition>(p, t, q, w, dq, dw, Vec<double, 1>{{x[0]}}, shift);
  }
}
)";

void expect_slopes(const std::vector<Draft*>& drafts, bool of_rows = false) {
  std::string text;
  std::string calls;
  unsigned seed = 40;
  for (Draft* draft : drafts) {
    const std::string name = "Stated" + std::to_string(++seed);
    const Terms terms = derive(draft->graph, draft->statement);
    const State x = random_state(draft->statement, seed);
    const int parameters = static_cast<int>(draft->statement.info.parameters.size());
    text += emit(draft->graph, terms, parameters, {{parameters, 0}, true}, name).text;
    calls += std::string(of_rows ? "  show_row_slopes<" : "  show_slopes<") + name + ">(" + vec("double", x.p) + ", " +
             exactly(x.t) + ", " + vec("double", x.q) + ", " + vec("double", x.w) + ", " + vec("double", x.ideal) +
             ");\n";
  }
  EmittedProgram emitted(prologue + (of_rows ? compared_row : compared) + "namespace kalaba { using ::printf; }\n" +
                         text + "int main() {\n" + calls + "}\n");
  ASSERT_EQ(emitted.compile(KALABA_CXX, "-O0"), "");
  const std::vector<double> found = emitted.run();
  ASSERT_GT(found.size(), 5U);
  for (const double each : found) EXPECT_LT(std::abs(each), 1e-11);
}

TEST(Slopes, AreThoseOfDualNumbers) {
  Draft chain_of_four = chain(4);
  Draft sleigh = chaplygin_sleigh_energy();
  Draft ring = rough_ring();
  Draft split = split_oscillator();
  Draft rod = balanced_rod();
  expect_slopes({&chain_of_four, &sleigh, &ring, &split, &rod});
}

TEST(Slopes, OfRandomStatementsAreThoseOfDualNumbers) {
  std::vector<Draft> drafts;
  for (unsigned seed = 50; seed < 56; ++seed) drafts.push_back(random_statement(seed));
  std::vector<Draft*> all;
  for (Draft& each : drafts) {
    if (!each.statement.info.parameters.empty()) all.push_back(&each);
  }
  expect_slopes(all);
}

TEST(Slopes, OfASingleRowAreThoseOfDualNumbers) {
  Draft wire = bead();
  Draft pendulum = spherical_pendulum();
  Draft particle = appell_particle();
  expect_slopes({&wire, &pendulum, &particle}, true);
}

TEST(Slopes, KeepNothingTwiceAndFuseSums) {
  Draft d = chain(4);
  const Terms terms = derive(d.graph, d.statement);
  const std::string text = emit(d.graph, terms, 3, {{3}, false}).text;
  const std::string motion =
      text.substr(text.find("struct Motion"), text.find("struct Position") - text.find("struct Motion"));
  EXPECT_NE(motion.find("multiply_add<X>("), std::string::npos);
  EXPECT_EQ(motion.find("q[0] * q[0]"), std::string::npos) << "of a direction, not of the state";
  EXPECT_EQ(text.find("multiply_add<X>("), text.find("multiply_add<X>(", text.find("struct Motion")))
      << "the motion itself keeps its bits";
}

/// Bead on a line whose force consists of more nested operations than are emitted.
TEST(Slopes, OfFormulasTooDeepAreRefusedBeforeTheyAreDerived) {
  for (const Op op : {Op::sin, Op::multiply, Op::divide, Op::max}) {
    Draft d;
    const Word a = d.parameter("a", 1);
    const Word x = d.coordinate("x");
    d.rate("u");
    Id force = x;
    for (int i = 0; i <= most_emitted_operations; ++i) {
      force = op == Op::sin ? d.graph.unary(op, force) : d.graph.add(d.graph.binary(op, a, force), x);
    }
    d.statement.metric = {a};
    d.statement.diagonal = true;
    d.statement.force = {force};
    const Terms terms = derive(d.graph, d.statement);
    const std::size_t nodes = d.graph.size();
    const Error error = test::error_of([&] { emit(d.graph, terms, 1, {{0, 1}, false}, "Deep"); });
    EXPECT_NE(std::string(error.what()).find("operations a stage; expected at most "), std::string::npos);
    EXPECT_EQ(d.graph.size(), nodes);
    if (op != Op::sin) continue;
    EXPECT_EQ(slopes_of(d.graph, terms, std::nullopt, 1, {{0, 1}, false}).size(), 1U) << "without recursion";
  }
}

}  // namespace
}  // namespace kalaba::formula
