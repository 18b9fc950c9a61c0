#include "backend/reference/watcher.hpp"

#include <algorithm>

#include "backend/reference/observation.hpp"
#include "backend/reference/rate.hpp"
#include "backend/reference/step.hpp"

namespace kalaba::reference {

bool Watcher::stops(const std::vector<Happening>& found) const {
  return std::ranges::any_of(
      found, [&](const Happening& each) { return watch_.events[each.event].action == EventAction::stop; });
}

const Happening& Watcher::stopper(const std::vector<Happening>& found) const {
  return *std::ranges::find_if(
      found, [&](const Happening& each) { return watch_.events[each.event].action == EventAction::stop; });
}

Cut Watcher::cut(const std::vector<Happening>& found, const Instant& end, int known_rank, bool ticks) const {
  Cut cut = {{}, end, {}};
  if (stops(found)) return cut;
  for (const Happening& each : found) {
    if (watch_.events[each.event].change.any()) cut.events.push_back(each.stuck ? Changes::stuck : each.event);
  }
  std::ranges::sort(cut.events);
  if (!cut.events.empty()) {
    cut.at = found.back().at;
  } else if (contacts_.any()) {
    cut.events = contacts_.lost(end, rows(end, known_rank));
  }
  if (!contacts_.any() || (cut.events.empty() && !ticks)) return cut;
  for (const int event : contacts_.closing(cut.at)) {
    if (std::ranges::count(cut.events, event) > 0) continue;
    cut.events.push_back(event);
    cut.joined.push_back({event, cut.at});
  }
  std::ranges::sort(cut.events);
  return cut;
}

StepEvents Watcher::in_step(const RankMemory& memory, const Instant& begin, const Instant& end, double dt,
                            const std::vector<int>& fired) const {
  const auto state = [&](double part) {
    RankMemory own = memory;
    const Step shorter = step_member(model_, method_, own, begin, part * dt, begin.t + part * dt);
    return shorter.status == Status::ok ? shorter.end : begin;
  };
  if (!has_events()) return {};
  const RankChoice choice = RankChoice::at_step(method_, memory.rank);
  const Rate first = rate_at(model_, method_, choice, begin);
  const Rate last = rate_at(model_, method_, choice, end);
  const auto cubic = [&](double part) {
    const double rest = 1 - part;
    const auto at = [&](const Vector& x0, const Vector& x1, const Vector& f0, const Vector& f1) -> Vector {
      return rest * rest * (1 + 2 * part) * x0 + part * part * (3 - 2 * part) * x1 +
             part * rest * dt * (rest * f0 - part * f1);
    };
    return Instant{begin.p, begin.t + part * dt, at(begin.q, end.q, first.q_dot, last.q_dot),
                   at(begin.w, end.w, first.w_dot, last.w_dot)};
  };
  const bool has_rates = first.status == Status::ok && last.status == Status::ok;
  return happenings(
      watch_, begin, end, parts(), state, has_rates ? StateAt(cubic) : StateAt(state),
      [&](const Instant& x) { return rows(x, memory.rank); }, {fired, first.q_dot, first.w_dot}, open_gaps(state));
}

StepEvents Watcher::in_step(const AdaptiveMember& member, const Instant& like) const {
  const Instant begin = step_begin(member, like);
  const auto state = [&](double part) {
    Instant x = begin;
    arrive(model_, method_, member, begin.t + part * (member.last.end - begin.t), x);
    return x;
  };
  if (!has_events()) return {};
  const StateAt extension = extension_of(model_, method_, member, begin);
  return happenings(
      watch_, begin, step_end(member, like), parts(), state, extension,
      [&](const Instant& x) { return rows(x, member.memory.rank); },
      {member.changes.fired, member.last.f0.head(like.q.size()), member.last.f0.tail(like.w.size())},
      open_gaps(extension));
}

OpenGaps Watcher::open_gaps(const StateAt& state) const {
  return {state, [this](const Instant& x) { return model_.contact_gaps(x); },
          [this](int contact, const Instant& x) { return contacts_.zero_gap(contact, x); }};
}

/// At least the degree of the motion within a step: of order 4, or that of the continuous extension.
int Watcher::parts() const { return method_.integrator == Integrator::dop853 ? 8 : 4; }

double Watcher::value(int event, const Instant& x, int known_rank) const {
  return value_of(watch_.events[event].expression, x, watch_.observes() ? rows(x, known_rank) : Vector());
}

/// Returns the variables of the watch other than the state; NaN for quantities that the model does not have.
Vector Watcher::rows(const Instant& x, int known_rank) const {
  const WatchedRows at = {model_.invariant_count, model_.holonomic + model_.nonholonomic, watch_.contact_count};
  Vector found = state_rows(model_, watch_.contact_count, x);
  if (watch_.has_contacts()) found.tail(2 * at.contacts) = model_.contact_gaps(x);
  if (!watch_.multipliers && !watch_.has_contacts()) return found;
  const Rate rate = evaluate_rate(model_, method_, RankChoice::at_step(method_, known_rank), x);
  if (rate.status == Status::ok) found.segment(at.multiplier(0), at.constraints) = rate.multipliers;
  return found;
}

}  // namespace kalaba::reference
