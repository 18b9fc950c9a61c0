// RK4 steps per second on one core for two_particles_incline (n = 4, m = 3, rank 2, FP64, no stabilisation): the cpu
// backend against the Eigen loop someone would write. Every answer is checked before its time counts.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "peers/eigen_two_particles.hpp"

namespace {

constexpr long members = 1024;
constexpr long steps = 200;
constexpr double dt = 1e-3;

kalaba::Options bench_options(kalaba::PseudoInverse method, const kalaba::System& system) {
  kalaba::Options options = kalaba::default_options(system);
  options.time = {.start = 0, .end = steps * dt, .dt = dt, .save_every = steps};
  options.backend = kalaba::Backend::cpu;
  options.threads = 1;
  options.method.pseudo_inverse = method;
  options.method.stabilization = kalaba::Stabilization::none();
  options.project_start = false;
  return options;
}

/// The Eigen loop over the same members; q1 of each at the end.
template <class Solve>
std::vector<double> eigen_run(kalaba::Ensemble& ensemble) {
  using Peer = kalaba::peers::EigenTwoParticles<Solve>;
  constexpr const char* names[] = {"x1", "y1", "x2", "y2", "p_x1", "p_y1", "p_x2", "p_y2"};
  std::vector<double> ends;
  for (long i = 0; i < members; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Peer peer(ensemble.parameter("m1")[at], ensemble.parameter("m2")[at], ensemble.parameter("alpha")[at],
              ensemble.parameter("g")[at]);
    typename Peer::State y;
    for (int k = 0; k < 8; ++k) y[k] = ensemble.initial(names[k])[at];
    for (long step = 0; step < steps; ++step) peer.step(y, dt);
    ends.push_back(y[0]);
  }
  return ends;
}

kalaba::Ensemble bench_ensemble() {
  kalaba::Ensemble ensemble(kalaba::find_system("two_particles_incline"), members);
  for (std::size_t i = 0; i < members; ++i) {
    ensemble.parameter("L")[i] = 1 + 0.5 * static_cast<double>(i) / members;
    ensemble.parameter("alpha")[i] = 0.3 + 0.4 * static_cast<double>(i) / members;
  }
  ensemble.restart();
  return ensemble;
}

/// Largest difference between the cpu backend's ends and the peer's.
double disagreement(const std::vector<double>& peer, kalaba::PseudoInverse method) {
  const auto ensemble = bench_ensemble();
  const auto result = kalaba::run(ensemble, bench_options(method, ensemble.system()));
  double worst = 0;
  for (std::size_t i = 0; i < members; ++i) worst = std::max(worst, std::abs(peer[i] - result.values("x1", 1)[i]));
  return worst;
}

void count_steps(benchmark::State& state) {
  state.counters["steps/s"] = benchmark::Counter(
      static_cast<double>(members * steps) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void kalaba_cpu(benchmark::State& state, kalaba::PseudoInverse method) {
  const auto ensemble = bench_ensemble();
  const auto options = bench_options(method, ensemble.system());
  for (auto _ : state) {
    const auto result = kalaba::run(ensemble, options);
    if (result.summary.failed() > 0) state.SkipWithError("members failed");
  }
  count_steps(state);
}

template <class Solve, kalaba::PseudoInverse method>
void eigen_loop(benchmark::State& state) {
  auto ensemble = bench_ensemble();
  const double off = disagreement(eigen_run<Solve>(ensemble), method);
  if (!(off < 1e-11)) state.SkipWithError("the peer's answer differs");
  for (auto _ : state) benchmark::DoNotOptimize(eigen_run<Solve>(ensemble));
  count_steps(state);
}

BENCHMARK_CAPTURE(kalaba_cpu, svd, kalaba::PseudoInverse::svd);
BENCHMARK(eigen_loop<kalaba::peers::JacobiSvdSolve, kalaba::PseudoInverse::svd>)->Name("eigen_jacobi_svd");
BENCHMARK_CAPTURE(kalaba_cpu, qr, kalaba::PseudoInverse::qr);
BENCHMARK(eigen_loop<kalaba::peers::CodSolve, kalaba::PseudoInverse::qr>)->Name("eigen_cod");

}  // namespace

BENCHMARK_MAIN();
