#include "engine/run/saved_instants.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "kalaba/run.hpp"
#include "kalaba/saved_times.hpp"

namespace kalaba {
namespace {

/// Distance from |x| to the next larger double.
double ulp(double x) { return std::nextafter(std::abs(x), std::numeric_limits<double>::infinity()) - std::abs(x); }

/// Returns x rounded to `places` decimal places, possibly more than a double of its size can represent.
double rounded(double x, int places) {
  constexpr std::array exact_powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (places < static_cast<int>(exact_powers.size())) {
    const double power = exact_powers[static_cast<std::size_t>(places)];
    const double whole = std::nearbyint(x * power);
    if (std::abs(whole) < 0x1p53) return whole / power;  // exact operands: the double nearest to the decimal
  }
  constexpr int most_digits = std::numeric_limits<double>::max_digits10;
  const int digits = std::clamp(places + 1 + static_cast<int>(std::floor(std::log10(std::abs(x)))), 1, most_digits);
  std::array<char, 64> text = {};
  const auto printed =
      std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific, digits - 1);
  double result = x;
  std::from_chars(text.data(), printed.ptr, result);
  return result;
}

/// Number of instants that saved_steps returns.
std::size_t steps_saved(const TimeGrid& time) {
  const long end = time.steps();
  const long before = time.save_every > 0 ? (end + time.save_every - 1) / time.save_every : 0;
  return static_cast<std::size_t>(before) + 1;
}

/// Returns every save_every-th step from the first on, and the last; only the last if save_every is 0.
std::vector<Saved> saved_steps(const TimeGrid& time) {
  std::vector<Saved> saved;
  const long end = time.steps();
  saved.reserve(steps_saved(time));
  for (long step = 0; time.save_every > 0 && step < end; step += time.save_every) {
    saved.push_back({step, grid_time(time, step)});
  }
  saved.push_back({end, grid_time(time, end)});
  return saved;
}

/// A time that differs from a step only by rounding is that step.
Saved saved_at(const TimeGrid& time, double t) {
  constexpr double rounding = 1e-12;
  const double steps = (t - time.start) / time.dt;
  const double near = std::round(steps);
  const bool between = steps > 0 && std::abs(steps - near) > rounding * std::max(1.0, near);
  const long step = std::clamp(static_cast<long>(between ? std::floor(steps) : near), 0L, time.steps());
  return {step, t, between && step < time.steps()};
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

double grid_time(const TimeGrid& time, long step) {
  if (step <= 0) return time.start;
  if (step >= time.steps()) return time.end;
  const double t = time.at(step);
  const double count = static_cast<double>(step);
  // Half an ulp of each number from which t was computed, of each intermediate result, and of the decimal as a double.
  const double rounding = 0.5 * (count * ulp(time.dt) + ulp(count * time.dt) + ulp(time.start) + 2 * ulp(t));
  if (!(rounding < 0.25 * time.dt)) return t;
  if (std::abs(t) <= rounding) return 0;
  // With this many places, at most one decimal is within the rounding error of t; with one place more, at least one is.
  const int places = static_cast<int>(std::floor(-std::log10(2 * rounding)));
  for (int more = 0; more < 2 && places >= 0; ++more) {
    const double shorter = rounded(t, places + more);
    if (std::abs(shorter - t) <= rounding) return shorter;
  }
  return t;
}

double reported_time(const TimeGrid& time, double moment) {
  if (std::isnan(moment)) return moment;
  const double steps = (moment - time.start) / time.dt;
  if (!(steps >= 0 && steps <= static_cast<double>(time.steps()))) return moment;
  const long step = std::lround(steps);
  const double at = time.at(step);
  if (moment == at) return grid_time(time, step);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double reported = grid_time(time, step);
  return moment > at ? std::max(moment, std::nextafter(reported, infinity))
                     : std::min(moment, std::nextafter(reported, -infinity));
}

std::optional<std::size_t> same_step(const TimeGrid& time, const std::vector<double>& save_at) {
  for (std::size_t i = 0; i + 1 < save_at.size(); ++i) {
    const Saved one = saved_at(time, save_at[i]);
    const Saved other = saved_at(time, save_at[i + 1]);
    if (!one.between && !other.between && one.step == other.step) return i;
  }
  return std::nullopt;
}

}  // namespace kalaba
