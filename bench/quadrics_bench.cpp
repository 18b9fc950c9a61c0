// How the cost of a step grows with the constraints: n = 4, 12, 32 with m = 3, 9, 24 full-rank rows, FP64, one core, no
// stabilisation, against an Eigen loop over the same model. Every answer is checked before its time counts.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "kalaba/kalaba.hpp"
#include "peers/eigen_quadrics.hpp"
#include "quadrics.hpp"

namespace {

using kalaba::bench::Quadrics;

constexpr long members = 256;
constexpr double dt = 1e-3;

/// Steps that keep a measurement short as the sizes grow.
template <int Size>
constexpr long steps = Size < 4 ? 200 : 40;

template <int Size>
const kalaba::System& quadrics() {
  static const kalaba::System system = kalaba::make_system<Quadrics<Size>>();
  return system;
}

template <int Size>
kalaba::Ensemble ensemble_of_stiffnesses() {
  kalaba::Ensemble ensemble(quadrics<Size>(), members);
  for (std::size_t i = 0; i < members; ++i) ensemble.parameter("k")[i] = 1 + static_cast<double>(i) / members;
  return ensemble;
}

template <int Size>
kalaba::Options options_for(kalaba::PseudoInverse method) {
  kalaba::Options options = kalaba::default_options(quadrics<Size>());
  options.time = {.start = 0, .end = steps<Size> * dt, .dt = dt, .save_every = steps<Size>};
  options.backend = kalaba::Backend::cpu;
  options.threads = 1;
  options.method.pseudo_inverse = method;
  options.method.stabilization = kalaba::Stabilization::none();
  options.project_start = false;
  options.fields = {kalaba::Field::q};
  return options;
}

/// The first coordinate of every member at the end, by the Eigen loop.
template <int Size, bool svd>
std::vector<double> eigen_run() {
  using Peer = kalaba::peers::EigenQuadrics<Size, svd>;
  auto ensemble = ensemble_of_stiffnesses<Size>();
  kalaba::Vec<double, Quadrics<Size>::n> q;
  kalaba::Vec<double, Quadrics<Size>::n> w;
  Quadrics<Size>::start(kalaba::Vec<double, 1>{}, q, w);
  std::vector<double> ends;
  for (std::size_t i = 0; i < members; ++i) {
    Peer peer(ensemble.parameter("k")[i]);
    typename Peer::State y;
    for (int k = 0; k < Peer::n; ++k) {
      y[k] = q[k];
      y[Peer::n + k] = w[k];
    }
    for (long step = 0; step < steps<Size>; ++step) peer.step(y, dt);
    ends.push_back(y[0]);
  }
  return ends;
}

template <int Size>
double disagreement(const std::vector<double>& peer, kalaba::PseudoInverse method) {
  const auto result = kalaba::run(ensemble_of_stiffnesses<Size>(), options_for<Size>(method));
  double worst = 0;
  for (std::size_t i = 0; i < members; ++i) worst = std::max(worst, std::abs(peer[i] - result.values("a1", 1)[i]));
  return worst;
}

template <int Size>
void count_steps(benchmark::State& state) {
  state.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(members * steps<Size>) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

template <int Size, bool svd>
void kalaba_cpu(benchmark::State& state) {
  const auto ensemble = ensemble_of_stiffnesses<Size>();
  const auto options = options_for<Size>(svd ? kalaba::PseudoInverse::svd : kalaba::PseudoInverse::qr);
  for (auto _ : state) {
    if (kalaba::run(ensemble, options).summary.failed() > 0) state.SkipWithError("members failed");
  }
  count_steps<Size>(state);
}

template <int Size, bool svd>
void eigen_loop(benchmark::State& state) {
  const auto method = svd ? kalaba::PseudoInverse::svd : kalaba::PseudoInverse::qr;
  const double off = disagreement<Size>(eigen_run<Size, svd>(), method);
  if (!(off < 1e-11)) state.SkipWithError("the peer's answer differs");
  for (auto _ : state) benchmark::DoNotOptimize(eigen_run<Size, svd>());
  count_steps<Size>(state);
}

#define KALABA_PAIR(n, m, size)                                                      \
  BENCHMARK(kalaba_cpu<size, true>)->Name("n=" #n "/m=" #m "/svd/kalaba");           \
  BENCHMARK(eigen_loop<size, true>)->Name("n=" #n "/m=" #m "/svd/eigen_jacobi_svd"); \
  BENCHMARK(kalaba_cpu<size, false>)->Name("n=" #n "/m=" #m "/qr/kalaba");           \
  BENCHMARK(eigen_loop<size, false>)->Name("n=" #n "/m=" #m "/qr/eigen_cod")
KALABA_PAIR(4, 3, 1);
KALABA_PAIR(12, 9, 3);
KALABA_PAIR(32, 24, 8);
#undef KALABA_PAIR

}  // namespace
