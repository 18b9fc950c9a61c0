// The run-time compiler accepts emitted models as the CUDA backend passes them; no GPU is needed.

#include <gtest/gtest.h>

#include "cuda/quick_options.hpp"
#include "formula/code/emit.hpp"
#include "formula/make_system.hpp"
#include "formula/models.hpp"
#include "formula/random_statement.hpp"
#include "kalaba/error.hpp"

namespace kalaba::formula {
namespace {

DeviceCode emitted(Draft& draft, const std::string& name) {
  const Terms terms = derive(draft.graph, draft.statement);
  return emit(draft.graph, terms, static_cast<int>(draft.statement.info.parameters.size()), {}, name);
}

void expect_compiles(const std::string& name, const std::string& text) {
  if (const std::string& problem = cuda::compiler_problem(); !problem.empty()) GTEST_SKIP() << problem;
  const auto compiled = cuda::compile_with_log({name, text, cuda::quick_options()});
  EXPECT_FALSE(compiled.cubin.empty());
  EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
}

TEST(EmittedKernels, EveryModelAndRandomStatementsCompileInBothPrecisions) {
  std::string text = "#include \"kalaba/core/model/energy.hpp\"\n";
  std::string calls;
  unsigned count = 0;
  const auto add = [&](Draft& draft) {
    const std::string name = "Stated" + std::to_string(count++);
    text += emitted(draft, name).text;
    calls += "  use<" + name + ", double>(x);\n  use<" + name + ", float>(x);\n";
  };
  for (Draft& draft : all_models()) add(draft);
  Draft road = on_a_road();
  add(road);
  for (unsigned seed = 40; seed < 46; ++seed) {
    Draft draft = random_statement(seed);
    add(draft);
  }
  text += R"(
using namespace kalaba;
template <class M, class X> __device__ void use(double* x) {
  Vec<X, Dim<M>::parameters> raw;
  Vec<X, Dim<M>::q> q;
  Vec<X, Dim<M>::w> w;
  for (int i = 0; i < Dim<M>::parameters; ++i) raw[i] = X(x[i]);
  for (int i = 0; i < Dim<M>::q; ++i) q[i] = X(x[10 + i]);
  for (int i = 0; i < Dim<M>::w; ++i) w[i] = X(x[20 + i]);
  const auto p = prepared<M>(raw);
  const auto terms = M::terms(p, X(x[30]), q, w);
  X sum(0);
  for (int i = 0; i < Dim<M>::w; ++i) sum = sum + terms.force[i];
  for (int i = 0; i < Dim<M>::constraints; ++i) sum = sum + terms.b[i];
  if constexpr (ModelParts<M>::has_energy) sum = sum + M::energy(p, X(x[30]), q, w);
  if constexpr (ModelParts<M>::has_valid) sum = select(M::valid(p, X(x[30]), q, w), sum, X(0));
  x[40] += sum;
}
extern "C" __global__ void use_all(double* x) {
)" + calls +
          "}\n";
  expect_compiles("emitted.cu", text);
}

TEST(EmittedKernels, TimeLoopsCompileForOneWorkerAndForATile) {
  for (const int workers : {1, 4}) {
    Draft draft = workers == 1 ? chaplygin_sleigh_energy() : chain(6);
    const DeviceCode code = emitted(draft, "Stated");
    Options options;
    options.fields = {Field::q};
    expect_compiles("motion.cu", cuda::motion_source(code, options, workers));
  }
}

}  // namespace
}  // namespace kalaba::formula
