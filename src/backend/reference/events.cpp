#include "backend/reference/events.hpp"

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

double of_two(const Instruction& now, double a, double b) {
  switch (now.operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::atan2:
      return std::atan2(a, b);
    case Operation::min:
      return b < a ? b : a;
    case Operation::max:
      return a < b ? b : a;
    case Operation::less:
      return a < b ? 1 : 0;
    case Operation::less_equal:
      return a <= b ? 1 : 0;
    case Operation::both:
      return a != 0 && b != 0 ? 1 : 0;
    default:  // either
      return a != 0 || b != 0 ? 1 : 0;
  }
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
    case Operation::asin:
      return std::asin(x);
    case Operation::acos:
      return std::acos(x);
    case Operation::atan:
      return std::atan(x);
    case Operation::sign:
      return 0 < x ? 1 : (x < 0 ? -1 : 0);
    case Operation::negation:
      return x == 0 ? 1 : 0;
    default:
      return std::abs(x);
  }
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
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide:
      case Operation::power:
      case Operation::atan2:
      case Operation::min:
      case Operation::max:
      case Operation::less:
      case Operation::less_equal:
      case Operation::both:
      case Operation::either: {
        const double b = pop(stack);
        const double a = pop(stack);
        stack.push_back(of_two(now, a, b));
        break;
      }
      case Operation::select: {
        const double b = pop(stack);
        const double a = pop(stack);
        stack.push_back(pop(stack) != 0 ? a : b);
        break;
      }
      default:
        stack.push_back(of_one(now, pop(stack)));
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
