#include "engine/run/saved_instants.hpp"

#include <algorithm>
#include <cmath>

#include "kalaba/run.hpp"

namespace kalaba {
namespace {

/// Instants that saved_steps returns.
std::size_t steps_saved(const TimeGrid& time) {
  const long end = time.steps();
  const long before = time.save_every > 0 ? (end + time.save_every - 1) / time.save_every : 0;
  return static_cast<std::size_t>(before) + 1;
}

/// Every save_every steps from the first on, and the last, alone where save_every is 0.
std::vector<Saved> saved_steps(const TimeGrid& time) {
  std::vector<Saved> saved;
  const long end = time.steps();
  saved.reserve(steps_saved(time));
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

std::size_t saved_count(const Options& options) {
  return options.save_at.empty() ? steps_saved(options.time) : options.save_at.size();
}

std::vector<double> saved_times(const Options& options) {
  std::vector<double> times;
  times.reserve(saved_count(options));
  for (const Saved& saved : saved_instants(options)) times.push_back(saved.time);
  return times;
}

}  // namespace kalaba
