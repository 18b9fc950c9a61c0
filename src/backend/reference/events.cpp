#include "backend/reference/events.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kalaba/core/operation_value.hpp"

namespace kalaba::reference {
namespace {

double pop(std::vector<double>& stack) {
  const double value = stack.back();
  stack.pop_back();
  return value;
}

bool happens(Crossing direction, double before, double after) {
  if (before < 0 && after >= 0) return direction != Crossing::falling;
  return before > 0 && after <= 0 && direction != Crossing::rising;
}

}  // namespace

double value_of(const Expression& expression, const Instant& x, const Vector& observed) {
  std::vector<double> stack;
  for (int i = 0; i < expression.size; ++i) {
    const Instruction& now = expression.code[i];
    switch (now.operation) {
      case Operation::number:
        stack.push_back(now.value);
        break;
      case Operation::time:
        stack.push_back(x.t);
        break;
      case Operation::parameter:
        stack.push_back(x.p[now.index]);
        break;
      case Operation::coordinate:
        stack.push_back(x.q[now.index]);
        break;
      case Operation::rate:
        stack.push_back(x.w[now.index]);
        break;
      case Operation::observed:
        stack.push_back(observed[now.index]);
        break;
      default: {
        double arguments[3] = {0, 0, 0};
        for (int k = argument_count(now.operation) - 1; k >= 0; --k) arguments[k] = pop(stack);
        stack.push_back(operation_value(now.operation, now.index, arguments[0], arguments[1], arguments[2]));
      }
    }
  }
  return stack.back();
}

std::vector<Happening> happenings(const Watch& watch, const Instant& begin, const Instant& end,
                                  const std::function<Instant(double part)>& state, const Observe& observe) {
  const auto value_at = [&](const WatchedEvent& event, const Instant& x) {
    return value_of(event.expression, x, watch.observes() ? observe(x) : Vector());
  };
  std::vector<Happening> found;
  for (int event = 0; event < watch.count; ++event) {
    const WatchedEvent& watched = watch.events[event];
    const double before = value_at(watched, begin);
    const double after = value_at(watched, end);
    const double change = std::abs(after - before);
    if (!happens(watched.direction, before, after) || !std::isfinite(change)) continue;
    double from = 0;
    double to = 1;
    double below = before;
    double above = after;
    Instant there = end;
    for (int halved = 0; halved < 52; ++halved) {
      const double middle = (from + to) / 2;
      const Instant x = state(middle);
      const double value = value_at(watched, x);
      if (before < 0 ? value >= 0 : value <= 0) {
        to = middle;
        above = value;
        there = x;
      } else {
        from = middle;
        below = value;
      }
    }
    const bool is_pole = !(std::abs(above - below) <= change);
    if (!is_pole) found.push_back({event, there});
  }
  const auto stops = [&](const Happening& each) { return watch.events[each.event].action == EventAction::stop; };
  // Of those at one time, what is only recorded comes first.
  std::ranges::stable_sort(found, [&](const Happening& a, const Happening& b) {
    return a.at.t != b.at.t ? a.at.t < b.at.t : !stops(a) && stops(b);
  });
  const auto stop = std::ranges::find_if(found, stops);
  if (stop != found.end()) {
    const double end_time = stop->at.t;
    std::erase_if(found, [&](const Happening& each) { return each.at.t > end_time; });
  }
  return found;
}

}  // namespace kalaba::reference
