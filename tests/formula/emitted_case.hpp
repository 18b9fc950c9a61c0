#pragma once

#include <cmath>

#include "emitted_program.hpp"
#include "formula/code/emit.hpp"
#include "formula/code/function_writer.hpp"
#include "formula/graph/program.hpp"
#include "models.hpp"
#include "random_expressions.hpp"

// Emitted structs, and the same terms computed by the interpreter.

namespace kalaba::formula {

/// State of a model, as C++ and for the interpreter.
struct State {
  std::vector<double> p, q, w, ideal;
  double t = 0;
};

inline State random_state(const Statement& s, unsigned seed) {
  Graph unused;
  RandomExpressions random(unused, seed);
  State x;
  x.p = random.point(static_cast<int>(s.info.parameters.size()));
  for (double& each : x.p) each = 1.5 + each / 4;
  x.q = random.point(s.nq());
  x.w = random.point(s.nw());
  x.ideal = random.point(s.nw());
  x.t = random.point(1)[0];
  return x;
}

inline std::string vec(const std::string& type, const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + exactly(value);
  return "Vec<" + type + ", " + std::to_string(values.size()) + ">{{" + text + "}}";
}

inline const std::string prologue = R"(
#include <stdio.h>
#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/loop/member.hpp"
#include "kalaba/core/inverse/sparse_metric.hpp"
using namespace kalaba;
template <class V> void show(const V& x) { for (int i = 0; i < V::size; ++i) printf("%a\n", double(x[i])); }
template <class X, class P> void show(const SparseMat<X, P>& x) {
  for (int r = 0; r < P::rows; ++r) for (int j = 0; j < P::cols; ++j) printf("%a\n", double(x(r, j)));
}
template <class X, int N> void show(const RootedDiagonal<X, N>& x) { show(x.inverse_root); }
template <class X, int R, int C> void show(const Mat<X, R, C>& x) { for (int i = 0; i < R * C; ++i) printf("%a\n", double(x.data[i])); }
template <class X, int N> void show(const Diagonal<X, N>& x) { show(x.entry); }
template <class X, int N> void show(const Symmetric<X, N>& x) {
  for (int i = 0; i < N; ++i) for (int j = 0; j <= i; ++j) printf("%a\n", double(x.entry(i, j)));
}
template <class X, class P> void show(const SparseSymmetric<X, P>& x) {
  for (int i = 0; i < P::rows; ++i) {
    for (int j = 0; j < i; ++j) {
      double entry = 0;
      for (int k = P::begin(j); k < P::begin(j + 1); ++k) if (P::column(k) == i) entry = double(x.entry.upper[k]);
      printf("%a\n", entry);
    }
    printf("%a\n", double(x.entry.diagonal[i]));
  }
}
/// Copy of a vector whose values are hidden from the optimizer.
template <class V> V hidden(V x) { for (int i = 0; i < V::size; ++i) { volatile double kept = x[i]; x[i] = kept; } return x; }
template <class M, class P, class Q, class W>
void show_terms(const P& raw, double at, const Q& known_q, const W& known_w, const W& known_ideal) {
  static_assert(Model<M> && ModelParts<M>::has_terms);
  const auto p = M::prepare(hidden(raw));
  const Q q = hidden(known_q);
  const W w = hidden(known_w), ideal = hidden(known_ideal);
  volatile double kept = at;
  const double t = kept;
  const auto terms = M::terms(p, t, q, w);
  show(terms.velocity), show(terms.metric), show(terms.force), show(terms.position), show(terms.rate), show(terms.b), show(terms.matrix);
  show(M::metric(p, t, q)), show(M::force(p, t, q, w));
  if constexpr (ModelParts<M>::has_velocity) {
    show(M::velocity(p, t, q, w));
    const auto moved = M::velocity(p, Dual<double, 1>(t), constants<Dual<double, 1>>(q), along(w, ideal));
    for (const auto& each : moved.data) printf("%a\n", each.slope[0]);
  }
  if constexpr (Dim<M>::holonomic > 0) show(M::phi(p, t, q));
  if constexpr (Dim<M>::nonholonomic > 0) show(M::psi(p, t, q, w));
  if constexpr (ModelParts<M>::has_energy) printf("%a\n", M::energy(p, t, q, w));
  if constexpr (Dim<M>::invariants > 0) show(M::invariant(p, t, q, w));
  if constexpr (ModelParts<M>::has_non_ideal) show(M::non_ideal(p, t, q, w, ideal));
  if constexpr (ModelParts<M>::actuated) show(M::actuation(p, t, q));
  if constexpr (has_single_row<M>()) {
    const auto row = M::single_row(p, t, q, w);
    show(row.velocity), show(row.position), show(row.rate);
    for (int i = 0; i < Dim<M>::w; ++i) printf("%a\n", row.free[i] - row.column[i] * (row.defect / row.gram));
    for (int i = 0; i < Dim<M>::w; ++i) printf("%a\n", row.column[i] / row.gram);
    if constexpr (Dim<M>::holonomic > 0) for (const auto& each : row.shift.data) printf("%a\n", each / row.gram);
  }
  if constexpr (ModelParts<M>::has_gain) printf("%a\n", M::gain(p));
  if constexpr (ModelParts<M>::has_position_gain) printf("%a\n", M::position_gain(p));
  if constexpr (ModelParts<M>::has_valid) printf("%d\n", int(M::valid(p, t, q, w)));
}
)";

inline bool expects_single_row(const Terms& s) {
  return s.A.rows == 1 && s.diagonal && !s.inverse_root.empty() && s.non_ideal.empty() && s.actuation.cols == 0;
}

/// Terms of a single row: q', phi and its rate, w', the change of w per unit of the row's error, and q.
inline std::vector<double> interpreted_row(const Graph& graph, const Terms& s, const Inputs& at) {
  const auto values = [&](const std::vector<Id>& roots) { return Program(graph, roots)(at); };
  const auto G = values(s.metric), force = values(s.force), A = values(s.A.entries),
             K = values(s.velocity_jacobian.entries);
  double gram = 0;
  double error = values(s.b)[0];
  std::vector<double> rate(G.size());
  for (std::size_t i = 0; i < G.size(); ++i) {
    rate[i] = s.formulation == Formulation::hamilton ? force[i] : force[i] / G[i];
    error -= A[i] * rate[i];
    gram += A[i] * A[i] / G[i];
  }
  std::vector<double> all = values(s.velocity);
  for (const auto& part : {values(s.phi), values(s.phi_dot), values(s.psi)})
    all.insert(all.end(), part.begin(), part.end());
  for (std::size_t i = 0; i < G.size(); ++i) all.push_back(rate[i] + A[i] / G[i] * (error / gram));
  for (std::size_t i = 0; i < G.size(); ++i) all.push_back(A[i] / G[i] / gram);
  for (std::size_t k = 0; !s.phi.empty() && k < s.velocity.size(); ++k) {
    double shift = 0;
    for (std::size_t i = 0; i < G.size(); ++i) shift += K[k * G.size() + i] * A[i] / G[i];
    all.push_back(shift / gram);
  }
  return all;
}

/// Terms that show_terms prints, computed by the interpreter. Derivatives of K (in the direction `ideal`) are compared
/// with a tolerance.
inline std::vector<double> interpreted(const Graph& graph, const Terms& s, const State& x) {
  const Inputs at{x.p.data(), x.q.data(), x.w.data(), x.ideal.data(), &x.t};
  std::vector<double> all;
  const auto add = [&](const std::vector<Id>& roots) {
    const auto values = Program(graph, roots)(at);
    all.insert(all.end(), values.begin(), values.end());
  };
  const auto add_one = [&](const std::optional<Id>& root) {
    if (root) add({*root});
  };
  const std::vector<Id>& metric = s.inverse_root.empty() ? s.metric : s.inverse_root;
  for (const auto* part : {&s.velocity, &metric, &s.force, &s.phi, &s.phi_dot, &s.psi, &s.b, &s.A.entries}) add(*part);
  add(s.metric), add(s.force);
  if (!s.velocity_is_w) {
    add(s.velocity);
    const auto jacobian = Program(graph, s.velocity_jacobian.entries)(at);
    const std::size_t n = x.w.size();
    for (std::size_t i = 0; i < s.velocity.size(); ++i) {
      double slope = 0;
      for (std::size_t j = 0; j < n; ++j) slope += jacobian[i * n + j] * x.ideal[j];
      all.push_back(slope);
    }
  }
  add(s.phi), add(s.psi), add_one(s.energy), add(s.invariants), add(s.non_ideal), add(s.actuation.entries);
  if (expects_single_row(s)) {
    const auto row = interpreted_row(graph, s, at);
    all.insert(all.end(), row.begin(), row.end());
  }
  add_one(s.gain), add_one(s.position_gain), add_one(s.valid);
  return all;
}

inline void expect_same(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
    if (std::isinf(expected[i])) {
      EXPECT_EQ(found[i], expected[i]);
      continue;
    }
    EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << "number " << i;
  }
}

struct Case {
  std::string text;   ///< structs
  std::string calls;  ///< of main
  std::vector<double> expected;
};

inline void add_case(Draft& draft, Case& all, unsigned seed) {
  const std::string name = "Stated" + std::to_string(seed);
  const Terms terms = derive(draft.graph, draft.statement);
  const State x = random_state(draft.statement, seed);
  const int parameters = static_cast<int>(draft.statement.info.parameters.size());
  all.text += emit(draft.graph, terms, parameters, {}, name).text;
  all.calls += "  show_terms<" + name + ">(" + vec("double", x.p) + ", " + exactly(x.t) + ", " + vec("double", x.q) +
               ", " + vec("double", x.w) + ", " + vec("double", x.ideal) + ");\n";
  const auto expected = interpreted(draft.graph, terms, x);
  all.expected.insert(all.expected.end(), expected.begin(), expected.end());
}

inline std::string program(const Case& all) { return prologue + all.text + "int main() {\n" + all.calls + "}\n"; }

constexpr const char* exact = "-O1 -ffp-contract=off";

inline Case all_stated_models() {
  Case all;
  unsigned seed = 0;
  for (Draft& draft : all_models()) add_case(draft, all, seed++);
  return all;
}

}  // namespace kalaba::formula
