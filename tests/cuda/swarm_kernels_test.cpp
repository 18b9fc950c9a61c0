// The run-time compiler accepts the kernels of swarms; no GPU is needed. Sums and targets must fit a thread's
// registers.

#include <gtest/gtest.h>

#include <tuple>

#include "backend/kernel_resources.hpp"
#include "kalaba/error.hpp"
#include "kalaba/swarm.hpp"

namespace kalaba {
namespace {

class SwarmKernels : public testing::TestWithParam<std::tuple<const SwarmLaw*, int, long, Precision>> {};

TEST_P(SwarmKernels, FitTheRegisters) {
  const auto& [law, dimension, agents, precision] = GetParam();
  const System system = make_swarm(*law, agents, dimension);
  Options options = default_options(system);
  options.precision = precision;
  std::vector<KernelResources> kernels;
  try {
    kernels = kernel_resources(system, options, "sm_90");
  } catch (const Error& error) {
    if (error.code() == ExitCode::no_backend) GTEST_SKIP() << error.what();
    throw;
  }
  const bool a_block_each = agents <= 1024;
  ASSERT_EQ(kernels.size(), a_block_each ? 3U : 5U);
  // As many threads as fit a multiprocessor with so many registers each: one block, or four that share a swarm.
  const int most = a_block_each ? 255 : 128;
  for (const KernelResources& kernel : kernels) {
    EXPECT_EQ(kernel.spilled_bytes, 0) << kernel.kernel;
    EXPECT_EQ(kernel.stack_bytes, 0) << kernel.kernel;
    EXPECT_GT(kernel.registers, 0) << kernel.kernel;
    EXPECT_LE(kernel.registers, most) << kernel.kernel;
  }
}

std::string label(const testing::TestParamInfo<std::tuple<const SwarmLaw*, int, long, Precision>>& test) {
  const auto& [law, dimension, agents, precision] = test.param;
  return law->name + "_" + std::to_string(dimension) + "d_" + std::to_string(agents) + "_" +
         std::string(precision_name(precision));
}

INSTANTIATE_TEST_SUITE_P(Laws, SwarmKernels,
                         testing::Combine(testing::Values(&swarm_laws()[0], &swarm_laws()[1]), testing::Values(2, 3),
                                          testing::Values(1024L, 100'000L),
                                          testing::Values(Precision::double_precision, Precision::single_precision)),
                         label);

}  // namespace
}  // namespace kalaba
