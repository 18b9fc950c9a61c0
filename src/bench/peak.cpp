#include "bench/peak.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>

#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/team.hpp"

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

double peak_flops(Precision precision, int threads) {
  return precision == Precision::single_precision ? measure<float>(threads) : measure<double>(threads);
}

}  // namespace kalaba::bench
