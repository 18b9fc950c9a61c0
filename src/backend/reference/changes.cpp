#include "backend/reference/changes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include <Random123/philox.h>
#include <Random123/u01fixedpt.h>

#include <Eigen/Cholesky>

#include "backend/reference/events.hpp"
#include "backend/reference/observation.hpp"
#include "backend/reference/projection.hpp"

namespace kalaba::reference {
namespace {

constexpr int change_iterations = 50;

double tick_of(const WatchedClock& clock, double number) { return number * clock.every + clock.offset; }

/// Standard normal number of a source of noise, from the key of a member and a tick, by Box and Muller.
double normal(double key, double tick, int source) {
  const auto key_bits = static_cast<std::uint64_t>(key);
  const auto tick_bits = static_cast<std::uint64_t>(tick);
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const r123::Philox4x32::ctr_type words = r123::Philox4x32()(
      {{low(tick_bits), high(tick_bits), static_cast<std::uint32_t>(source), 0}}, {{low(key_bits), high(key_bits)}});
  const auto uniform = [](std::uint32_t low_word, std::uint32_t high_word) {
    return u01fixedpt_open_open_64_double(std::uint64_t{high_word} << 32 | low_word);
  };
  return std::sqrt(-2 * std::log(uniform(words[0], words[1]))) *
         std::cos(2 * std::numbers::pi * uniform(words[2], words[3]));
}

}  // namespace

bool Changes::is_same(double a, double b) const {
  const double size = std::max({std::abs(a), std::abs(b), watch_.time_size});
  return std::abs(a - b) <= 16 * std::numeric_limits<double>::epsilon() * size;
}

/// Number of ticks of a clock until t, with one at t.
double Changes::ticks_until(const WatchedClock& clock, double t) const {
  const double nearest = std::max(std::round((t - clock.offset) / clock.every), 0.0);
  return is_until(tick_of(clock, nearest), t) ? nearest + 1 : nearest;
}

double Changes::next_tick(double t, double end) const {
  double next = end;
  for (int i = 0; i < watch_.clock_count; ++i) {
    const double tick = tick_of(watch_.clocks[i], ticks_until(watch_.clocks[i], t));
    if (tick < next && !is_same(tick, next)) next = tick;
  }
  return next;
}

/// Returns true if a clock ticks at t.
bool Changes::is_due(const WatchedClock& clock, std::optional<double> made, double t) const {
  const double count = ticks_until(clock, t);
  if (made) return ticks_until(clock, *made) < count;
  return count > 0 && is_same(tick_of(clock, count - 1), t);
}

bool Changes::ticks_at(std::optional<double> made, double t) const {
  return std::any_of(watch_.clocks, watch_.clocks + watch_.clock_count,
                     [&](const WatchedClock& clock) { return is_due(clock, made, t); });
}

Status Changes::by_events(const std::vector<int>& events, double dt, ChangeMemory& memory, Instant& x) const {
  if (std::ranges::count(events, stuck) > 0) return Status::too_many_changes;
  if (memory.count == 0 || x.t - memory.window > dt) {
    memory.window = x.t;
    memory.count = 0;
  }
  if (++memory.count > method_.max_changes) return Status::too_many_changes;
  const Margins before = margins(x);
  memory.fired.insert(memory.fired.end(), events.begin(), events.end());
  for (const int event : events) {
    const Change& change = watch_.events[event].change;
    const Status status = change.count > 0 ? make(change, x) : Status::ok;
    if (status != Status::ok) return status;
  }
  const Status status = contacts_.settle(x, memory.step, Status::constraints_violated);
  keep_zeros(before, x, memory);
  return status;
}

Status Changes::by_clocks(std::optional<double> made, ChangeMemory& memory, Instant& x, bool corrects) const {
  const Margins before = margins(x);
  for (int i = 0; i < watch_.clock_count; ++i) {
    const WatchedClock& clock = watch_.clocks[i];
    if (!is_due(clock, made, x.t)) continue;
    const Status status = clock.noise_key < 0 ? make(clock.change, x, corrects) : kick(clock, x, corrects);
    if (status != Status::ok) return status;
  }
  const Status below = made ? Status::constraints_violated : Status::not_assembled;
  const Status status = contacts_.settle(x, memory.step, below, corrects);
  keep_zeros(before, x, memory);
  return status;
}

Status Changes::at_start(ChangeMemory& memory, Instant& x, bool corrects) const {
  memory.step = {x.w, x.w, watch_.step};
  const Status status = ticks_at({}, x.t) ? by_clocks({}, memory, x, corrects) : Status::ok;
  return status == Status::ok ? contacts_.settle(x, memory.step, Status::not_assembled, corrects) : status;
}

Status Changes::make(const Change& change, Instant& x, bool corrects) const {
  const Instant before = x;
  const Vector observed = change.observes ? state_rows(model_, watch_.contact_count, before) : Vector();
  for (int i = change.first; i < change.first + change.count; ++i) {
    const Assignment& each = watch_.assignments[i];
    const double value = assigned(each, before, observed);
    if (!std::isfinite(value)) {
      x = before;
      return Status::non_finite;
    }
    Vector& numbers = each.sort == Settable::coordinate ? x.q : each.sort == Settable::rate ? x.w : x.p;
    numbers[each.index] = value;
  }
  const Status status = end(x, corrects);
  if (status != Status::ok) x = before;
  return status;
}

Status Changes::kick(const WatchedClock& clock, Instant& x, bool corrects) const {
  Vector impulse = Vector::Zero(x.w.size());
  const double tick = ticks_until(clock, x.t) - 1;
  for (int i = clock.change.first; i < clock.change.first + clock.change.count; ++i) {
    const Assignment& each = watch_.assignments[i];
    const double number = normal(x.p[clock.noise_key], tick, each.source);
    impulse[each.index] += assigned(each, x, {}) * number * std::sqrt(clock.every);
  }
  if (!impulse.allFinite()) return Status::non_finite;
  const Instant before = x;
  if (model_.formulation == Formulation::hamilton) {
    x.w += impulse;
  } else {
    const Eigen::LLT<Matrix> metric(model_.metric(x));
    if (metric.info() != Eigen::Success) return Status::singular_constraints;
    x.w += metric.solve(impulse);
  }
  const Status status = end(x, corrects);
  if (status != Status::ok) x = before;
  return status;
}

/// Value of an assignment at x. `observed`: the variables of the expression other than the state.
double Changes::assigned(const Assignment& each, const Instant& x, const Vector& observed) const {
  Expression expression;
  expression.size = each.size;
  std::copy_n(watch_.code + each.first, each.size, expression.code);
  return value_of(expression, x, observed);
}

/// Ends a change of x: opens the contacts, which do not hold a member that is moved away, and puts x on the
/// constraints.
Status Changes::end(Instant& x, bool corrects) const {
  contacts_.open(x);
  if (!model_.servo && corrects) {
    const Status status = project(model_, method_, change_iterations, x);
    if (status != Status::ok) return status;
  }
  return model_.valid(x) ? Status::ok : Status::singular_constraints;
}

/// Those that use other quantities than the state are not needed.
Changes::Margins Changes::margins(const Instant& x) const {
  Margins found;
  const Vector none = Vector::Zero(
      WatchedRows{model_.invariant_count, model_.holonomic + model_.nonholonomic, watch_.contact_count}.rows());
  for (int i = 0; i < watch_.count; ++i) {
    const auto [value, size] = sized_value(watch_.events[i].continuous(), x, none);
    found.values.push_back(value);
    found.roundings.push_back(16 * std::numeric_limits<double>::epsilon() * size);
  }
  return found;
}

/// Stores the events whose value is zero after a change to x: of those in the memory, of those that constraints held
/// at zero before, and of those whose value the change has moved to zero.
void Changes::keep_zeros(const Margins& before, const Instant& x, ChangeMemory& memory) const {
  const Margins after = margins(x);
  std::vector<int> zero;
  for (int event = 0; event < watch_.count; ++event) {
    const auto i = static_cast<std::size_t>(event);
    const WatchedEvent& watched = watch_.events[event];
    if (watched.change.settles) continue;  // its slack keeps it positive
    const bool was_held = watched.held && before.values[i] == 0;
    const bool was = was_held || std::ranges::count(memory.fired, event) > 0;
    const bool stays = was && (after.is_zero(i) || std::abs(after.values[i]) <= 2 * std::abs(before.values[i]));
    const bool was_apart = std::abs(before.values[i]) > after.roundings[i];
    const bool comes = !watched.continuous().observes() && after.is_zero(i) && was_apart;
    if (stays || comes) zero.push_back(event);
  }
  memory.fired = std::move(zero);
}

}  // namespace kalaba::reference
