#include "peers_work_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "peers/peers.hpp"

namespace kalaba::bench {
namespace {

constexpr double seconds = 1;  // approximate time per integrator
constexpr long members = 64;
constexpr long steps = 5000;

Problem pendulums() {
  const auto vary = [](Ensemble& ensemble) {
    const std::span<double> lengths = ensemble.parameter("L");
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = 0.5 + 1.5 * static_cast<double>(i) / members;
    ensemble.restart();
  };
  return {"spherical_pendulum",
          find_system("spherical_pendulum"),
          members,
          steps,
          {.stabilization = Stabilization::none()},
          vary};
}

/// Coordinates and rates of a peer's result.
Block block_of(const Problem& problem, const Ends& ends) {
  const SystemInfo& info = problem.system.info;
  Block block(0, static_cast<int>(info.coordinates.size()), static_cast<int>(info.rates.size()), members, 1);
  block.assign(0, members);
  const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(info.coordinates.size() * members);
  block.q.assign(ends.begin(), middle);
  block.w.assign(middle, ends.end());
  return block;
}

double seconds_of(Contender& contender, Ends& ends) {
  const auto begin = std::chrono::steady_clock::now();
  contender.run(ends);
  const double here = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return contender.seconds_elsewhere() > 0 ? contender.seconds_elsewhere() : here;
}

WorkCurve curve_of(const Peer& peer, Problem problem, const WorkPrecision& all) {
  WorkCurve curve = {peer.name, true, {}};
  for (double tolerance = 1e-3; tolerance > 0.9e-14; tolerance /= 10) {
    problem.tolerance = tolerance;
    const auto contender = peer.make(problem);
    Ends ends;
    std::vector<double> spent;
    double sum = 0;
    while (spent.size() < 3 || (sum < seconds / 50 && spent.size() < 1000)) {
      spent.push_back(seconds_of(*contender, ends));
      sum += spent.back();
    }
    WorkPoint point;
    point.setting = tolerance;
    point.steps = std::nan("");
    point.seconds = median(std::move(spent)) / members;
    point.error = all.errors.of(block_of(problem, ends));
    curve.points.push_back(point);
    if (!(point.error > 2 * all.trusted) || sum > 30 * seconds) break;
  }
  return curve;
}

}  // namespace

PeersWorkPrecision peers_work_precision(const std::function<void(const std::string&)>& report) {
  const Problem problem = pendulums();
  const Ensemble ensemble = problem.ensemble();
  Options options = default_options(problem.system);
  options.backend = Backend::cpu;
  options.method = problem.method;
  options.project_start = false;
  options.time = {.start = 0, .end = steps * Problem::dt, .dt = Problem::dt, .save_every = 0};
  PeersWorkPrecision result = {work_precision({&problem.system, &ensemble, options, 0, seconds}, report), {}};
  for (const Peer& peer : {peers::odeint_dopri5(), peers::scipy_dop853(), peers::heyoka()}) {
    if (!peer.absence.empty()) {
      result.absent.push_back(fmt::format("{}: {}", peer.name, peer.absence));
      continue;
    }
    report(peer.name);
    result.all.curves.push_back(curve_of(peer, problem, result.all));
    result.all.curves.back().name += fmt::format(" ({})", peer.version);
  }
  return result;
}

}  // namespace kalaba::bench
