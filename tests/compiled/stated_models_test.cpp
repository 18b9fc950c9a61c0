// Models stated as formulas and compiled at run time: the figures of their authors, and the motion of the reference.

#include <gtest/gtest.h>

#include "backend/compiled/compiled_runner.hpp"
#include "formula/make_system.hpp"
#include "formula/models.hpp"
#include "formula/motion.hpp"

namespace kalaba::formula {
namespace {

class CompiledModel : public ::testing::TestWithParam<std::size_t> {
 protected:
  static System system() {
    Draft draft = std::move(all_models()[GetParam()]);
    return make_system(std::move(draft.graph), draft.statement);
  }
  static std::unique_ptr<Runner> runner(const System& system, const Options& options) {
    CompileReport report;
    auto made = compile_runner(system.device_code, options, report);
    EXPECT_EQ(report.problem, "") << system.device_code.text;
    return made;
  }
};

TEST_P(CompiledModel, ReproducesItsFigures) {
  const System model = system();
  expect_figures(model, [&](const Options& options) { return runner(model, options); });
}

TEST_P(CompiledModel, MovesAsTheReferenceDoes) {
  const System model = system();
  const Options options = options_of(model.info);
  Motion compiled(model, runner(model, options), options);
  Motion reference(model, model.reference(options), options);
  for (Motion* each : {&compiled, &reference}) each->advance_to(0.2);
  ASSERT_EQ(compiled.status(), Status::ok);
  for (const auto* table : {&model.info.coordinates, &model.info.rates}) {
    for (const Variable& each : *table) {
      const double expected = reference.value(each.name);
      EXPECT_NEAR(compiled.value(each.name), expected, 1e-10 * (1 + std::abs(expected))) << each.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stated, CompiledModel, ::testing::Range<std::size_t>(0, all_models().size()),
                         [](const auto& info) { return all_models()[info.param].statement.info.name; });

}  // namespace
}  // namespace kalaba::formula
