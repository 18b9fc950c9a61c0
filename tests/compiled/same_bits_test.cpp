// A model that is compiled when it runs has the bits of one that was compiled with the program.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/compiled/compiled_runner.hpp"
#include "compiled_help.hpp"
#include "kalaba/backend/cpu.hpp"
#include "kalaba/core/energy.hpp"
#include "kalaba/systems/chain.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/two_particles_incline.hpp"
#include "travel.hpp"

namespace kalaba {
namespace {

/// An event that stops the member, and one that is noted: the first coordinate and a time go through zero.
Watch some_events() {
  Watch watch;
  watch.count = 2;
  watch.events[0].action = EventAction::record;
  watch.events[0].expression = {3, {{Operation::time}, {Operation::number, 0, 0.0421}, {Operation::subtract}}};
  watch.events[1].expression = {3, {{Operation::time}, {Operation::number, 0, 0.0707}, {Operation::subtract}}};
  return watch;
}

struct Choice {
  Precision precision;
  PseudoInverse inverse;
  Integrator integrator;
  bool watches;
};

template <class Stated>
void expect_same_bits(const std::string& header, const std::string& type, const Choice& choice, double dt) {
  using M = WithTerms<Stated>;
  Options options;
  options.precision = choice.precision;
  options.method.pseudo_inverse = choice.inverse;
  options.method.integrator = choice.integrator;
  if (choice.precision == Precision::single_precision) {
    options.method.rank_tolerance = 1e-4;
    options.method.relative_tolerance = 1e-4;
    options.method.absolute_tolerance = 1e-6;
  }
  if (choice.watches) options.watch = some_events();
  CompileReport report;
  const auto compiled =
      compile_runner(DeviceCode{"#include \"kalaba/systems/" + header + ".hpp\"\n", type}, options, report);
  ASSERT_NE(compiled, nullptr) << report.problem;
  const auto ahead = make_cpu_runner<M>(options);
  const Block block = members_of<M>(101, options.watch.count);
  const Numbers expected = travel(*ahead, block, dt);
  const Numbers found = travel(*compiled, block, dt);
  ASSERT_EQ(found.size(), expected.size());
  long different = 0;
  long finite = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    finite += std::isfinite(expected[i]) ? 1 : 0;
    if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
    different += std::memcmp(&found[i], &expected[i], sizeof found[i]) != 0 ? 1 : 0;
  }
  EXPECT_EQ(different, 0) << report.text(type);
  EXPECT_GT(finite, static_cast<long>(found.size()) / 2);
}

class ACompiledModel : public testing::TestWithParam<Choice> {
 protected:
  static void SetUpTestSuite() { cache = new TestFolder; }
  static void TearDownTestSuite() {
    delete cache;
    cache = nullptr;
  }
  void SetUp() override {
    if (const FoundCompiler found = find_compiler(); !found.problem.empty()) GTEST_SKIP() << found.problem;
    environment_.set("KALABA_CACHE_DIR", *cache / "cache");
  }

  static inline TestFolder* cache = nullptr;
  Environment environment_;
};

TEST_P(ACompiledModel, HasTheBitsOfOneCompiledAhead) {
  expect_same_bits<SphericalPendulum>("spherical_pendulum", "kalaba::SphericalPendulum", GetParam(), 1e-3);
  expect_same_bits<TwoParticlesIncline>("two_particles_incline", "kalaba::TwoParticlesIncline", GetParam(), 1e-3);
}

TEST_P(ACompiledModel, OfManyConstraintsTooHasThoseBits) {
  const Choice& choice = GetParam();
  if (choice.watches && choice.precision == Precision::single_precision) return;  // enough is enough
  expect_same_bits<Chain<4>>("chain", "kalaba::Chain<4>", choice, 1e-3);
}

constexpr auto in_double = Precision::double_precision;
constexpr auto in_single = Precision::single_precision;
INSTANTIATE_TEST_SUITE_P(Variants, ACompiledModel,
                         testing::Values(Choice{in_double, PseudoInverse::svd, Integrator::rk4, false},
                                         Choice{in_double, PseudoInverse::qr, Integrator::rk4, true},
                                         Choice{in_double, PseudoInverse::svd, Integrator::dopri5, true},
                                         Choice{in_double, PseudoInverse::qr, Integrator::dopri5, false},
                                         Choice{in_double, PseudoInverse::svd, Integrator::dop853, true},
                                         Choice{in_double, PseudoInverse::ldlt, Integrator::rk4, true},
                                         Choice{in_single, PseudoInverse::svd, Integrator::rk4, true},
                                         Choice{in_single, PseudoInverse::qr, Integrator::dopri5, false}));

}  // namespace
}  // namespace kalaba
