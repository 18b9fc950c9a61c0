#include <gtest/gtest.h>

#include "emitted_case.hpp"
#include "formula/make_system.hpp"

namespace kalaba::formula {
namespace {

/// The default run of a model in the core's time loop.
const std::string run_loop = R"(
template <class M, class P, class Q, class W>
void run(const P& p, const Q& q, const W& w, Stabilization held, TimeGrid time) {
  Method method;
  method.stabilization = held;
  MemberLoop<M, double, JacobiSvd> loop;
  Member<M, double> member{};
  member.p = hidden(p), member.q = hidden(q), member.w = hidden(w);
  member.rank = -1.0;
  loop.start(Solo{}, member, method, time.start, held.kind == Stabilization::Kind::projection);
  loop.advance(Solo{}, member, method, time, 0, time.steps());
  printf("%a\n", member.status);
  show(member.q), show(member.w);
  if constexpr (Dim<M>::invariants > 0) show(M::invariant(M::prepare(p), time.end, member.q, member.w));
}
)";

std::vector<double> defaults(const std::vector<Variable>& variables) {
  std::vector<double> values;
  for (const Variable& each : variables) values.push_back(each.value);
  return values;
}

TEST(Emitting, ModelsReproduceTheirFiguresInTheCoresTimeLoop) {
  Case all;
  std::vector<std::pair<std::string, double>> expected;  // NaN: anything
  for (Draft& draft : all_models()) {
    const std::string name = "Model" + std::to_string(all.calls.size());
    const Terms terms = derive(draft.graph, draft.statement);
    const int parameters = static_cast<int>(draft.statement.info.parameters.size());
    all.text += emit(draft.graph, terms, parameters, {}, name).text;
    const SystemInfo info = make_system(draft.graph, draft.statement).info;
    const double end = info.figures.empty() ? 0.5 : info.figures.back().time;
    all.calls += "  run<" + name + ">(" + vec("double", defaults(info.parameters)) + ", " +
                 vec("double", defaults(info.coordinates)) + ", " + vec("double", defaults(info.rates)) +
                 ", {Stabilization::Kind(" + std::to_string(static_cast<int>(info.stabilization.kind)) +
                 "), 0, 0}, {0, " + exactly(end) + ", " + exactly(info.time.dt) + ", 1});\n";
    expected.emplace_back(info.name + " status", 0.0);
    for (const auto* table : {&info.coordinates, &info.rates, &info.invariants}) {
      for (const Variable& each : *table) {
        double value = std::nan("");
        for (const ExpectedFigure& figure : info.figures) {
          if (figure.name == each.name && figure.time == end) value = figure.value;
        }
        expected.emplace_back(info.name + ' ' + each.name, value);
      }
    }
  }
  EmittedProgram emitted(prologue + run_loop + all.text + "int main() {\n" + all.calls + "}\n");
  ASSERT_EQ(
      emitted.compile(KALABA_CXX,
                      "-O1 -Wno-unknown-warning-option -Wno-array-bounds -Wno-maybe-uninitialized -Wno-uninitialized"),
      "");
  const std::vector<double> found = emitted.run();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i].second)) continue;
    EXPECT_NEAR(found[i], expected[i].second, 1e-8) << expected[i].first;
  }
}

}  // namespace
}  // namespace kalaba::formula
