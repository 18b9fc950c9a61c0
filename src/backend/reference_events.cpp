#include "backend/reference_events.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kalaba::reference {
namespace {

double pop(std::vector<double>& stack) {
  const double value = stack.back();
  stack.pop_back();
  return value;
}

double of_one(const Instruction& now, double x) {
  switch (now.operation) {
    case Operation::negate:
      return -x;
    case Operation::raise:
      return std::pow(x, now.index);
    case Operation::sqrt:
      return std::sqrt(x);
    case Operation::sin:
      return std::sin(x);
    case Operation::cos:
      return std::cos(x);
    case Operation::tan:
      return std::tan(x);
    case Operation::exp:
      return std::exp(x);
    case Operation::log:
      return std::log(x);
    default:
      return std::abs(x);
  }
}

bool happens(Crossing direction, double before, double after) {
  if (before < 0 && after >= 0) return direction != Crossing::falling;
  return before > 0 && after <= 0 && direction != Crossing::rising;
}

}  // namespace

double value_of(const Expression& expression, const Instant& x) {
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
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide:
      case Operation::power: {
        const double b = pop(stack);
        const double a = pop(stack);
        stack.push_back(now.operation == Operation::add        ? a + b
                        : now.operation == Operation::subtract ? a - b
                        : now.operation == Operation::multiply ? a * b
                        : now.operation == Operation::divide   ? a / b
                                                               : std::pow(a, b));
        break;
      }
      default:
        stack.push_back(of_one(now, pop(stack)));
    }
  }
  return stack.back();
}

std::vector<Happening> happenings(const Watch& watch, const Instant& begin, const Instant& end,
                                  const std::function<Instant(double part)>& state) {
  std::vector<Happening> found;
  for (int event = 0; event < watch.count; ++event) {
    const WatchedEvent& watched = watch.events[event];
    const double before = value_of(watched.expression, begin);
    const double after = value_of(watched.expression, end);
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
      const double value = value_of(watched.expression, x);
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
