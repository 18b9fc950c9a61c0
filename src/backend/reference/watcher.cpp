#include "backend/reference/watcher.hpp"

#include <limits>

#include "backend/reference/rate.hpp"
#include "backend/reference/step.hpp"

namespace kalaba::reference {

bool Watcher::stops(const std::vector<Happening>& found) const {
  return !found.empty() && watch_.events[found.back().event].action == EventAction::stop;
}

std::vector<Happening> Watcher::in_step(const RankMemory& memory, const Instant& begin, const Instant& end,
                                        double dt) const {
  const auto state = [&](double part) {
    RankMemory own = memory;
    const Step shorter = step_member(model_, method_, own, begin, part * dt, begin.t + part * dt);
    return shorter.status == Status::ok ? shorter.end : begin;
  };
  return happenings(watch_, begin, end, state, [&](const Instant& x) { return rows(x, memory.rank); });
}

std::vector<Happening> Watcher::in_step(const AdaptiveMember& member, const Instant& like) const {
  const Instant begin = step_begin(member, like);
  const auto state = [&](double part) {
    Instant x = begin;
    arrive(model_, method_, member, begin.t + part * (member.last.end - begin.t), x);
    return x;
  };
  return happenings(watch_, begin, step_end(member, like), state,
                    [&](const Instant& x) { return rows(x, member.memory.rank); });
}

double Watcher::value(int event, const Instant& x, int known_rank) const {
  return value_of(watch_.events[event].expression, x, watch_.observes() ? rows(x, known_rank) : Vector());
}

/// What the watch asks for beside the state; NaN where there is none.
Vector Watcher::rows(const Instant& x, int known_rank) const {
  const WatchedRows at = {model_.invariant_count, model_.holonomic + model_.nonholonomic};
  Vector found = Vector::Constant(at.rows(), std::numeric_limits<double>::quiet_NaN());
  found[at.energy()] = model_.energy(x);
  found.segment(at.invariant(0), at.invariants) = model_.invariants(x);
  if (!watch_.multipliers) return found;
  const Rate rate = evaluate_rate(model_, method_, RankChoice::at_step(method_, known_rank), x);
  if (rate.status == Status::ok) found.segment(at.multiplier(0), at.constraints) = rate.multipliers;
  return found;
}

}  // namespace kalaba::reference
