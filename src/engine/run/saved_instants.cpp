#include "engine/run/saved_instants.hpp"

#include <algorithm>
#include <cmath>

#include "kalaba/run.hpp"

namespace kalaba {
namespace {

/// Every save_every steps from the first on, and the last, alone where save_every is 0.
std::vector<Saved> saved_steps(const TimeGrid& time) {
  std::vector<Saved> saved;
  const long end = time.steps();
  for (long step = 0; time.save_every > 0 && step < end; step += time.save_every) {
    saved.push_back({step, time.at(step)});
  }
  saved.push_back({end, time.at(end)});
  return saved;
}

/// A time all but on a step is on it.
Saved saved_at(const TimeGrid& time, double t) {
  const double steps = (t - time.start) / time.dt;
  const double near = std::round(steps);
  const bool between = std::abs(steps - near) > 1e-9 * std::max(1.0, near);
  const long step = static_cast<long>(between ? std::floor(steps) : near);
  return {std::min(step, time.steps()), between ? t : time.at(step), between && step < time.steps()};
}

}  // namespace

std::vector<Saved> saved_instants(const Options& options) {
  if (options.save_at.empty()) return saved_steps(options.time);
  std::vector<Saved> saved;
  for (const double t : options.save_at) saved.push_back(saved_at(options.time, t));
  return saved;
}

std::vector<double> saved_times(const Options& options) {
  std::vector<double> times;
  for (const Saved& saved : saved_instants(options)) times.push_back(saved.time);
  return times;
}

}  // namespace kalaba
