#include "bench/operations.hpp"

#include "backend/backends.hpp"
#include "backend/compiled/compiled_runner.hpp"
#include "backend/default_member.hpp"
#include "kalaba/event.hpp"

namespace kalaba::bench {

std::optional<Operations> operations_of_step(const System& system, const Options& asked) {
  constexpr long steps = 64;  // four periods of the warm start of the pseudo-inverse
  if (adapts(asked.method.integrator) || system.info.agents > 0 || system.device_code.type.empty()) return std::nullopt;
  if (may_change(asked.events, asked.clocks) || system.info.has_changes()) return std::nullopt;  // steps are divided
  Options options;
  options.method = asked.method;
  options.method.pseudo_inverse = choose_pseudo_inverse(system, asked);
  options.time = asked.time;
  options.threads = 1;
  const CountingRunner counting = compile_counting_runner(system, options);
  if (!counting.runner) return std::nullopt;
  Block block = default_member(system.info);
  counting.runner->start(block, options.time.start, asked.project_start);
  *counting.operations = {};
  counting.runner->advance(block, options.time, 0, steps);
  Operations each = *counting.operations;
  for (double Operations::*kind :
       {&Operations::additions, &Operations::multiplications, &Operations::fused, &Operations::divisions,
        &Operations::roots, &Operations::choices, &Operations::functions}) {
    each.*kind /= steps;
  }
  return each;
}

}  // namespace kalaba::bench
