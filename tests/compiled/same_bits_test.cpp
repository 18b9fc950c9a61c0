// Results of a model compiled at run time and of a model compiled with the program are bitwise identical.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/compiled/compiled_runner.hpp"
#include "compiled_help.hpp"
#include "kalaba/systems/chain.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/two_particles_incline.hpp"
#include "travel.hpp"

namespace kalaba {
namespace {

/// An event that stops the member, and one that is recorded: zeros of the first coordinate, and of a time.
Watch some_events() {
  Watch watch;
  watch.count = 2;
  watch.events[0].action = EventAction::record;
  watch.events[0].expression = {3, {{Operation::time}, {Operation::number, 0, 0.0421}, {Operation::subtract}}};
  watch.events[1].expression = {3, {{Operation::time}, {Operation::number, 0, 0.0707}, {Operation::subtract}}};
  return watch;
}

/// Combination of options. Combinations are compiled in separate files: all together would take a minute.
template <class Number, PseudoInverse Inverse, Integrator Method, bool Watches>
struct Variant {
  using T = Number;
  static constexpr PseudoInverse inverse = Inverse;
  static constexpr Integrator integrator = Method;
  static constexpr bool watches = Watches;
  static constexpr bool single = sizeof(Number) == sizeof(float);
};

template <class Stated, class V>
void expect_same_bits(const std::string& header, const std::string& type, double dt) {
  using M = Stated;
  Options options;
  options.method.pseudo_inverse = V::inverse;
  options.method.integrator = V::integrator;
  if (V::single) {
    options.precision = Precision::single_precision;
    options.method.rank_tolerance = 1e-4;
    options.method.relative_tolerance = 1e-4;
    options.method.absolute_tolerance = 1e-6;
  }
  if (V::watches) options.watch = some_events();
  CompileReport report;
  const auto compiled =
      compile_runner(DeviceCode{"#include \"" KALABA_SOURCE_DIR "/include/kalaba/systems/" + header + ".hpp\"\n", type},
                     options, report);
  ASSERT_NE(compiled, nullptr) << report.problem;
  using T = typename V::T;
  const auto ahead =
      make_cpu_runner(model_functions<M, Pack<T>, V::inverse, LoopOf<V::integrator>::template Loop, true>(), options);
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

template <class V>
class ACompiledModel : public testing::Test {
 protected:
  void SetUp() override {
    environment_.set("KALABA_CXXFLAGS", nullptr);  // as users compile: other tests take less time over it
    if (const FoundCompiler found = find_compiler(); !found.problem.empty()) GTEST_SKIP() << found.problem;
  }

  Environment environment_;
};

using BySvd = Variant<double, PseudoInverse::svd, Integrator::rk4, false>;
using ByQr = Variant<double, PseudoInverse::qr, Integrator::rk4, true>;
using ByLdlt = Variant<double, PseudoInverse::ldlt, Integrator::rk4, true>;
using ByDopri5 = Variant<double, PseudoInverse::svd, Integrator::dopri5, true>;
using ByDop853 = Variant<double, PseudoInverse::svd, Integrator::dop853, true>;
using Single = Variant<float, PseudoInverse::qr, Integrator::dopri5, false>;

// Every integrator and pseudo-inverse at least once, with rows of deficient rank, with one row and with many.
using OfDeficientRank = testing::Types<BySvd, ByQr, ByDopri5, Single>;
TYPED_TEST_SUITE(ACompiledModel, OfDeficientRank);

TYPED_TEST(ACompiledModel, HasTheBitsOfOneCompiledAhead) {
  expect_same_bits<TwoParticlesIncline, TypeParam>("two_particles_incline", "kalaba::TwoParticlesIncline", 1e-3);
}

template <class V>
class ACompiledModelOfOneRow : public ACompiledModel<V> {};  // for which all pseudo-inverses are the same
using OfOneRow = testing::Types<BySvd, ByDop853>;
TYPED_TEST_SUITE(ACompiledModelOfOneRow, OfOneRow);

TYPED_TEST(ACompiledModelOfOneRow, HasTheBitsOfOneCompiledAhead) {
  expect_same_bits<SphericalPendulum, TypeParam>("spherical_pendulum", "kalaba::SphericalPendulum", 1e-3);
}

template <class V>
class ACompiledModelOfManyRows : public ACompiledModel<V> {};
using OfManyRows = testing::Types<ByLdlt>;
TYPED_TEST_SUITE(ACompiledModelOfManyRows, OfManyRows);

TYPED_TEST(ACompiledModelOfManyRows, HasTheBitsOfOneCompiledAhead) {
  expect_same_bits<Chain<4>, TypeParam>("chain", "kalaba::Chain<4>", 1e-3);
}

}  // namespace
}  // namespace kalaba
