#include "kalaba/member_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/run/block_size.hpp"
#include "kalaba/core/base/normal.hpp"
#include "kalaba/event.hpp"
#include "kalaba/sensitivities.hpp"

namespace kalaba {

Options completed_options(const System& system, const MemberSource& source, Options options) {
  options.events = with_contacts(std::move(options.events), system.info);
  options.watch = watch_of(options.events, system.info, options.clocks);
  options.watch.time_size = std::abs(options.time.start);
  options.watch.step = adapts(options.method.integrator) ? 0 : options.time.dt;
  options.sensitivities = sensitivity_plan(system, source);
  return options;
}

Block member_block(const SystemInfo& system, const Options& options, long capacity) {
  const auto count = [&](const std::vector<Variable>& variables) {
    return static_cast<int>(static_cast<long>(variables.size()) * system.copies());
  };
  return {static_cast<int>(system.parameters.size()),
          count(system.coordinates),
          count(system.rates),
          capacity,
          padding_of(system),
          options.watch.count,
          static_cast<int>(system.sensitivities.size()),
          options.watch.clock_count > 0};
}

namespace {

/// Computes the discrete variables at the start that the source does not give, except the key of noise.
void fill_discrete(const System& system, const std::vector<int>& given, Block& block) {
  if (!system.discrete_start) return;
  std::vector<char> is_stated(static_cast<std::size_t>(block.parameter_count), 1);
  if (system.info.noise) is_stated[static_cast<std::size_t>(system.info.noise->key)] = 0;
  for (const int index : given) is_stated[static_cast<std::size_t>(index)] = 0;
  const auto stride = static_cast<std::size_t>(block.stride);
  std::vector<double> parameters(static_cast<std::size_t>(block.parameter_count));
  const auto first = static_cast<std::size_t>(system.info.first_discrete());
  for (std::size_t member = 0; member < static_cast<std::size_t>(block.members); ++member) {
    for (std::size_t i = 0; i < first; ++i) parameters[i] = block.parameters[i * stride + member];
    system.discrete_start(parameters.data(), parameters.data() + first);
    for (std::size_t i = first; i < parameters.size(); ++i) {
      if (is_stated[i] != 0) block.parameters[i * stride + member] = parameters[i];
    }
  }
}

}  // namespace

void fill_members(const System& system, const MemberSource& source, Block& block) {
  if (system.info.noise) std::ranges::fill(block.parameter(system.info.noise->key), 0.0);
  source.fill(block);
  fill_discrete(system, source.given_discrete(), block);
  if (!system.info.noise) return;
  auto number = static_cast<unsigned long long>(block.first);
  for (double& key : block.parameter(system.info.noise->key)) {
    if (key == 0) key = noise_key(0, number);  // the source has no seed
    ++number;
  }
}

}  // namespace kalaba
