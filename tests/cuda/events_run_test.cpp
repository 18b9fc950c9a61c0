// Events on the CUDA backend compared with the cpu backend. Runs on a GPU if there is one (label `gpu`), and always on
// an emulated one.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

#include "backend/backends.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "support/integrators.hpp"

namespace kalaba {
namespace {

class CudaEvents : public testing::TestWithParam<std::tuple<Integrator, int>> {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
  }
};

std::string name_of(const testing::TestParamInfo<std::tuple<Integrator, int>>& info) {
  return std::string(integrator_name(std::get<0>(info.param))) + "_" + std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(, CudaEvents,
                         testing::Combine(testing::ValuesIn(test::shared_integrators()), testing::Values(1, 4)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OneThread, CudaEvents,
                         testing::Combine(testing::Values(Integrator::taylor, Integrator::rodas5p), testing::Values(1)),
                         name_of);

TEST_P(CudaEvents, AreThoseOfTheCpu) {
  const System& system = find_system("spherical_pendulum");
  constexpr long members = 9;
  Ensemble ensemble(system, members);
  for (std::size_t i = 0; i < members; ++i) ensemble.parameter("L")[i] = 0.6 + 0.1 * static_cast<double>(i);
  ensemble.restart();
  Options options = default_options(system);
  options.method.integrator = std::get<0>(GetParam());
  options.threads = 1;
  options.time.end = 0.5;
  options.save_at = {0.1, 0.33337, 0.41, 0.45678, 0.5};
  options.events = {
      {"low", "x - 0.2*L", Crossing::falling, EventAction::stop},
      {"turns", "exp(p_z) - 1 - 0.1*sin(t)^2", Crossing::any, EventAction::record},
      {"pulls", "lambda_1 < -11 and atan2(p_z, energy) > -4 or energy > 0", Crossing::any, EventAction::record}};
  options.backend = Backend::cpu;
  const Result cpu = run(ensemble, options);
  options.backend = Backend::cuda;
  options.threads_per_member = std::get<1>(GetParam());
  const Result gpu = run(ensemble, options);
  const auto near = [](double a, double b) { return std::isnan(b) ? std::isnan(a) : std::abs(a - b) < 1e-9; };
  long stopped = 0;
  for (std::size_t i = 0; i < members; ++i) {
    EXPECT_EQ(gpu.status()[i], cpu.status()[i]) << i;
    stopped += gpu.status()[i] == Status::stopped ? 1 : 0;
    EXPECT_TRUE(near(gpu.failure_time()[i], cpu.failure_time()[i])) << i;
    for (const char* event : {"low", "turns", "pulls"}) {
      EXPECT_EQ(gpu.event_count(event)[i], cpu.event_count(event)[i]) << event << i;
      EXPECT_TRUE(near(gpu.event_time(event)[i], cpu.event_time(event)[i])) << event << i;
      EXPECT_TRUE(near(gpu.event_last_time(event)[i], cpu.event_last_time(event)[i])) << event << i;
      for (const char* column : {"x", "z", "p_y"}) {
        EXPECT_TRUE(near(gpu.event_state(event, column)[i], cpu.event_state(event, column)[i])) << event << column << i;
      }
    }
    for (std::size_t frame = 0; frame < options.save_at.size(); ++frame) {
      EXPECT_TRUE(near(gpu.values("x", frame)[i], cpu.values("x", frame)[i])) << i << " at " << options.save_at[frame];
    }
  }
  EXPECT_GT(stopped, 0);
  EXPECT_LT(stopped, members);
}

}  // namespace
}  // namespace kalaba
