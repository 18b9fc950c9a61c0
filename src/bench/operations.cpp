#include "bench/operations.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include "backend/backends.hpp"
#include "backend/compiled/compiled_runner.hpp"
#include "backend/default_member.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/team.hpp"
#include "kalaba/event.hpp"

namespace kalaba::bench {
namespace {

constexpr int half = 8;           // chains that fully unroll
constexpr int chains = 2 * half;  // more than two units of a latency of four or five have in flight
constexpr long links = 1L << 20;

/// Runs the chains; returns a number that depends on all of them.
template <class T>
T run_chains() {
  using X = Pack<T>;
  Vec<X, half> some;
  Vec<X, half> more;
  for (int i = 0; i < half; ++i) {
    some[i] = X(i);
    more[i] = X(-i);
  }
  const X factor(T(0.999));
  const X shift(T(0.001));
  for (long link = 0; link < links; ++link) {
    Solo{}.for_each<half>([&](int i) KALABA_LAMBDA { some[i] = fma(some[i], factor, shift); });
    Solo{}.for_each<half>([&](int i) KALABA_LAMBDA { more[i] = fma(more[i], factor, shift); });
  }
  const X total = dot(some, more);
  T lanes[X::lanes];
  total.store(lanes);
  return *std::max_element(lanes, lanes + X::lanes);
}

/// By the processor's time, which other programs on the machine do not take part in.
template <class T>
double measure(int threads) {
  constexpr int attempts = 8;
  const int workers = thread_count(threads);
  std::atomic<T> outcome{0};  // keeps the compiler from removing the work
  double best = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::clock_t begin = std::clock();
    parallel_for(workers, 1, workers, [&](long, long) { outcome = run_chains<T>(); });
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / workers;
    best = std::max(best, 2.0 * chains * links * Pack<T>::lanes * workers / seconds);
  }
  return best;
}

}  // namespace

std::optional<Operations> operations_of_step(const System& system, const Options& requested) {
  constexpr long steps = 64;  // four periods of the warm start of the pseudo-inverse
  if (adapts(requested.method.integrator) || system.info.agents > 0 || system.device_code.type.empty())
    return std::nullopt;
  if (may_change(requested.events, requested.clocks) || system.info.has_changes())
    return std::nullopt;  // steps are divided
  Options options;
  options.method = requested.method;
  options.method.pseudo_inverse = choose_pseudo_inverse(system, requested);
  options.time = requested.time;
  options.threads = 1;
  const CountingRunner counting = compile_counting_runner(system, options);
  if (!counting.runner) return std::nullopt;
  Block block = default_member(system.info);
  counting.runner->start(block, options.time.start, requested.project_start);
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

double peak_flops(Precision precision, int threads) {
  return precision == Precision::single_precision ? measure<float>(threads) : measure<double>(threads);
}

}  // namespace kalaba::bench
