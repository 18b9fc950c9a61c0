#include "backend/reference/events.hpp"

#include "backend/reference/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "kalaba/core/base/operation_value.hpp"

namespace kalaba::reference {
namespace {

bool happens(Crossing direction, double before, double after) {
  if (before < 0 && after >= 0) return direction != Crossing::falling;
  return before > 0 && after <= 0 && direction != Crossing::rising;
}

}  // namespace

double value_of(const Expression& expression, const Instant& x, const Vector& observed) {
  return sized_value(expression, x, observed).value;
}

SizedValue sized_value(const Expression& expression, const Instant& x, const Vector& observed) {
  std::vector<SizedValue> stack;
  const auto push = [&](double value) { stack.push_back({value, std::abs(value)}); };
  for (int i = 0; i < expression.size; ++i) {
    const Instruction& now = expression.code[i];
    switch (now.operation) {
      case Operation::number:
        push(now.value);
        break;
      case Operation::time:
        push(x.t);
        break;
      case Operation::parameter:
        push(x.p[now.index]);
        break;
      case Operation::coordinate:
        push(x.q[now.index]);
        break;
      case Operation::rate:
        push(x.w[now.index]);
        break;
      case Operation::observed:
        push(observed[now.index]);
        break;
      default: {
        double v[3] = {0, 0, 0};
        double s[3] = {0, 0, 0};
        for (int k = argument_count(now.operation) - 1; k >= 0; --k) {
          v[k] = stack.back().value;
          s[k] = stack.back().size;
          stack.pop_back();
        }
        const double value = operation_value(now.operation, now.index, v[0], v[1], v[2]);
        stack.push_back({value, rounding_size(now.operation, now.index, value, v, s)});
      }
    }
  }
  return stack.back();
}

namespace {

/// A place in a step, with the values of an event there.
struct Sample {
  double part = 0;
  double value = 0;   ///< of its expression
  double margin = 0;  ///< of its continuous expression
  double noise = 0;   ///< rounding error of the value

  /// Returns true for a condition that is about to change.
  bool is_edge() const { return margin == 0 && value != 0; }
};

/// Samples of an event at the ends of the parts of a step.
class Samples {
 public:
  Samples(std::function<Sample(double)> sample, const Sample& begin, const Sample& end, int parts)
      : sample_(std::move(sample)) {
    nodes_.push_back(begin);
    for (int i = 1; i < parts; ++i) nodes_.push_back(sample_(static_cast<double>(i) / parts));
    nodes_.push_back(end);
    for (const Sample& node : nodes_) slopes_.push_back(slope_at(node));
  }

  /// Returns true if the step may contain more zeros than its ends show.
  bool shows_many() const {
    int changes = nodes_.back().value == 0 ? 1 : 0;
    for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
      if (may_turn(i) || (i > 0 && nodes_[i].value == 0) || nodes_[i].is_edge()) return true;
      if (nodes_[i].value * nodes_[i + 1].value < 0) ++changes;
    }
    return changes > 1;
  }
  /// Returns the ends of the parts, and between them the places where the value turns beyond zero; also, beside a place
  /// where the value is zero, places that show the sign before and behind it.
  std::vector<Sample> places() const {
    std::vector<Sample> all;
    const auto add = [&](const Sample& place, double before, double behind) {
      const bool is_zero = place.value == 0 || place.is_edge();
      if (is_zero) add_beside(place, before, all);
      all.push_back(place);
      if (is_zero) add_beside(place, behind, all);
    };
    for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
      const double width = nodes_[i + 1].part - nodes_[i].part;
      add(nodes_[i], i > 0 ? -width : 0, i > 0 || nodes_[i].is_edge() ? width : 0);
      if (!may_turn(i)) continue;
      if (const auto turn = turn_within(nodes_[i], nodes_[i + 1])) {
        add(*turn, nodes_[i].part - turn->part, nodes_[i + 1].part - turn->part);
      }
    }
    const Sample& last = nodes_.back();
    add(last, nodes_[nodes_.size() - 2].part - last.part, 0);
    return all;
  }

 private:
  /// Slope of the margin per part of the step, by a one-sided difference into the step.
  double slope_at(const Sample& node) const {
    constexpr double apart = 1e-5;
    const Sample beside = sample_(node.part < 1 ? node.part + apart : node.part - apart);
    return (beside.margin - node.margin) / (beside.part - node.part);
  }
  /// Adds the nearest of some places up to this distance at which rounding does not hide the value.
  void add_beside(const Sample& zero, double width, std::vector<Sample>& all) const {
    if (width == 0) return;
    for (double share = 1e-8; share < 0.5; share *= 20) {
      const Sample beside = sample_(zero.part + share * width);
      if (!(std::abs(beside.value) > beside.noise)) continue;
      all.push_back(beside);
      return;
    }
  }
  /// Returns true if the value may turn beyond zero in part i: the tangents at its ends intersect near or beyond zero,
  /// or the polynomial through all nodes reaches zero.
  bool may_turn(std::size_t i) const {
    const Sample& a = nodes_[i];
    const Sample& b = nodes_[i + 1];
    const double of_ends = a.value != 0 ? a.value : b.value;
    if (of_ends == 0 || of_ends * b.value < 0) return false;
    const double sign = of_ends < 0 ? -1 : 1;
    const double width = b.part - a.part;
    const double fall = -sign * slopes_[i] * width;
    const double rise = sign * slopes_[i + 1] * width;
    const double from = sign * a.margin;
    const double to = sign * b.margin;
    const double along = (from - to + rise) / (fall + rise);
    if (fall > 0 && rise > 0 && from - fall * along <= 0.2 * (fall + rise)) return true;
    constexpr int points = 8;
    for (int k = 1; k < points; ++k) {
      if (sign * interpolated(a.part + width * k / points) <= 0) return true;
    }
    return false;
  }
  /// Lagrange's polynomial through all nodes.
  double interpolated(double part) const {
    double sum = 0;
    for (const Sample& node : nodes_) {
      double term = node.margin;
      for (const Sample& other : nodes_) {
        if (&other != &node) term *= (part - other.part) / (node.part - other.part);
      }
      sum += term;
    }
    return sum;
  }
  /// Golden-section search for the least distance from zero; stops at a value of opposite sign.
  std::optional<Sample> turn_within(const Sample& begin, const Sample& end) const {
    const double golden = (std::sqrt(5.0) - 1) / 2;
    const double sign = begin.value < 0 ? -1 : 1;
    double left = begin.part;
    double right = end.part;
    Sample a = sample_(right - golden * (right - left));
    Sample b = sample_(left + golden * (right - left));
    for (int looks = 0; looks < 30; ++looks) {
      if (sign * a.value <= 0) return a;
      if (sign * b.value <= 0) return b;
      if (sign * a.margin < sign * b.margin) {
        right = b.part;
        b = a;
        a = sample_(right - golden * (right - left));
      } else {
        left = a.part;
        a = b;
        b = sample_(left + golden * (right - left));
      }
    }
    return std::nullopt;
  }

  std::function<Sample(double)> sample_;
  std::vector<Sample> nodes_;
  std::vector<double> slopes_;
};

}  // namespace

namespace {

/// Difference between the largest and the smallest value at some places in a step; 0 if one is not finite.
double range_of(const std::function<Sample(double)>& sample) {
  constexpr int places = 8;
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (int i = 1; i < places; ++i) {
    const double value = sample(static_cast<double>(i) / places).value;
    if (!std::isfinite(value)) return 0;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return most - least;
}

/// Sign with which a value leaves zero, or 0 if it does not within the step, and the time, s, in which rounding may
/// hide that motion.
struct Leave {
  double sign = 0;
  double hidden = 0;
};

/// Speed of a value at the begin of a step, and its error, by central differences.
struct Speed {
  double value = 0;
  double error = 0;
};

/// `size`: sum of the magnitudes of the terms of the value. The difference along the motion spans a share of the
/// `length` of the step, but at least the time in which the terms change by many roundings.
Speed speed_of(const std::function<double(const Instant&)>& margin, double size, const Instant& begin,
               const Departure& departure, double length) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double terms = 0;  // of the speed, one a number
  Instant x = begin;
  const auto add = [&](double& number, double rate) {
    const double middle = number;
    const double width = middle != 0 ? 0x1p16 * epsilon * std::abs(middle) : 1e-3 * length * std::abs(rate);
    if (rate == 0 || width == 0) return;
    number = middle + width;
    const double above = margin(x);
    number = middle - width;
    terms += std::abs((above - margin(x)) / (2 * width) * rate);
    number = middle;
  };
  add(x.t, 1);
  for (long i = 0; i < x.q.size(); ++i) add(x.q[i], departure.q_dot[i]);
  for (long i = 0; i < x.w.size(); ++i) add(x.w[i], departure.w_dot[i]);
  if (terms == 0) return {};
  const double ahead = std::max(1e-3 * length, 0x1p20 * epsilon * size / terms);
  const auto moved = [&](double by) {
    return margin({begin.p, begin.t + by, begin.q + by * departure.q_dot, begin.w + by * departure.w_dot});
  };
  return {(moved(ahead) - moved(-ahead)) / (2 * ahead), 1e-7 * terms + 4 * epsilon * size / ahead};
}

/// `observed`: returns the variables of the expression other than the state; they count as constants of its speed.
Leave leave_of(const WatchedEvent& watched, const Instant& begin, const Departure& departure, const StateAt& state,
               const Observe& observed, double length) {
  constexpr double ahead = 1e-6;
  const Vector at_begin = observed(begin);
  const auto margin = [&](const Instant& x) { return value_of(watched.continuous(), x, at_begin); };
  const SizedValue sized = sized_value(watched.continuous(), begin, at_begin);
  const double value = sized.value;
  const Speed found = speed_of(margin, sized.size, begin, departure, length);
  const double speed = found.value;
  if (!(std::abs(speed) > found.error)) {
    for (const double part : {0x1p-16, 0x1p-11, 0x1p-6, 0x1p-3, 1.0}) {
      const Instant x = state(part);
      const auto [there, size] = sized_value(watched.continuous(), x, observed(x));
      if (std::abs(there) > 16 * std::numeric_limits<double>::epsilon() * size) {
        return {there < 0 ? -1.0 : 1.0, x.t - begin.t};
      }
    }
    return {0, std::numeric_limits<double>::infinity()};
  }
  double terms = std::abs(value);  // of the value, by its change with each number
  const auto vary = [&](double& number, const Instant& x) {
    const double before = number;
    number = before * (1 + ahead);
    terms += std::abs(margin(x) - value) / ahead;
    number = before;
  };
  Instant x = begin;
  for (Vector* numbers : {&x.p, &x.q, &x.w}) {
    for (double& number : *numbers) vary(number, x);
  }
  const double rounding = 2 * std::abs(value) + 16 * std::numeric_limits<double>::epsilon() * terms;
  const double of_time = 4 * std::numeric_limits<double>::epsilon() * std::abs(begin.t);
  return {speed < 0 ? -1.0 : 1.0, 4 * rounding / std::abs(speed) + of_time};
}

/// Instant at which an open contact closes in a step, by bisection of the interval in which its gap falls to zero.
std::optional<Instant> closing_at(const Watch& watch, int contact, const Instant& begin, const Instant& end,
                                  const StateAt& state, const OpenGaps& gaps) {
  const double length = end.t - begin.t;
  const auto of_ends = [&](const StateAt& inside) -> StateAt {
    return [&, inside](double part) { return part == 0 ? begin : part == 1 ? end : inside(part); };
  };
  const auto closing = closing_of(watch, contact, length, of_ends(gaps.state), gaps);
  if (!closing) return std::nullopt;
  const bool was_open = closing->before.gap > 0;
  const StateAt exact = of_ends(state);
  const auto has_closed = [&](double part) {
    const GapHere here = gap_here(watch, contact, part, length, exact(part), gaps.at);
    return was_open ? here.gap <= 0 : here.has_fallen();
  };
  double open = closing->before.part;
  double closed = closing->after.part;
  if (has_closed(open) || !has_closed(closed)) return std::nullopt;
  while (closed - open > 0x1p-52) {
    const double middle = (open + closed) / 2;
    (has_closed(middle) ? closed : open) = middle;
  }
  return exact(closed);
}

/// Recursive search, from left to right, for the first fall to zero of the event of a closed contact: a multiplier, a
/// friction or a slip, which may change in much shorter times than the state. An interval is not divided if the slopes
/// of its chords show that its values have one sign or one direction.
class FallSearch {
 public:
  using Value = std::function<double(double part)>;
  struct Fall {
    double above, below;  ///< places in the step
  };

  /// `estimate`: of the `value`, at low cost. Values down to -`noise` are no fall; it is called once, if it is needed.
  FallSearch(Value value, Value estimate, std::function<double()> noise)
      : value_(std::move(value)), estimate_(std::move(estimate)), find_noise_(std::move(noise)) {}

  std::optional<Fall> between(double begin, double end, double first, double last) {
    double values[chords + 1] = {first};
    for (int i = 1; i < chords; ++i) values[i] = estimate_(begin + places[i] * (end - begin));
    values[chords] = last;
    looks_ += chords - 1;
    double slopes[chords];
    for (int i = 0; i < chords; ++i) slopes[i] = (values[i + 1] - values[i]) / (places[i + 1] - places[i]);
    const auto [least, most] = std::ranges::minmax(slopes);
    const double apart = safety * (most - least);
    double low = last;
    double high = last;
    for (int i = 0; i < chords; ++i) {
      const double width = places[i + 1] - places[i];
      low = std::min(low, lowest(values[i], values[i + 1], width, least - apart, most + apart));
      high = std::max(high, -lowest(-values[i], -values[i + 1], width, -most - apart, apart - least));
    }
    if (!(low < 0 && high > 0)) return std::nullopt;
    if (!noise_) noise_ = find_noise_();
    if (!(low < -*noise_)) return std::nullopt;
    const bool has_one_direction = least > apart || most < -apart;
    if (has_one_direction || end - begin <= narrowest || looks_ > most_looks) {
      const bool falls = first > 0 && last < -*noise_ && value_(begin) > 0 && value_(end) <= 0;
      return falls ? std::optional<Fall>({begin, end}) : std::nullopt;
    }
    const double middle = begin + (end - begin) / 2;
    const double value = estimate_(middle);
    const std::optional<Fall> found = between(begin, middle, first, value);
    return found ? found : between(middle, end, value, last);
  }

 private:
  static constexpr int chords = 6;
  /// Ends of the chords, whose widths differ so much that no oscillation has equal values at all of them.
  static constexpr double places[chords + 1] = {0, 0.07, 0.21, 0.45, 0.58, 0.89, 1};
  static constexpr double safety = 1.5;
  static constexpr double narrowest = 0x1p-24;
  static constexpr int most_looks = 100000;

  /// Lower bound of a value between two places this far apart, for slopes in [least, most].
  static double lowest(double a, double b, double width, double least, double most) {
    if (least >= 0 || most <= 0) return std::min(a, b);
    return a + least * std::clamp((b - a - most * width) / (least - most), 0.0, width);
  }

  Value value_;
  Value estimate_;
  std::function<double()> find_noise_;
  std::optional<double> noise_;
  int looks_ = 0;
};

/// Index of the closed contact whose force, friction or slip an event watches; -1: none.
int closed_contact_of(const Watch& watch, int event, const Instant& begin) {
  for (int i = 0; i < watch.contact_count; ++i) {
    const WatchedContact& contact = watch.contacts[i];
    const bool watches = contact.event == event || (contact.friction.any() && contact.friction.event == event);
    if (watches && begin.p[contact.mode] != 0) return i;
  }
  return -1;
}

/// Size of the rounding errors of the event of a closed contact: of its terms, of the forces of the contacts, of which
/// that of one may be a difference, and of the `value` in a tiny part of the step.
double noise_of(const Watch& watch, const Expression& expression, bool is_force, const Instant& begin,
                const Vector& observed, const FallSearch::Value& value) {
  double size = sized_value(expression, begin, observed).size;
  for (int i = 0; i < watch.contact_count; ++i) {
    const WatchedContact& contact = watch.contacts[i];
    if (!is_force || begin.p[contact.mode] == 0) continue;
    size = std::max(size, std::abs(value_of(watch.events[contact.event].expression, begin, observed)));
  }
  double noise = 256 * std::numeric_limits<double>::epsilon() * size;
  for (int i = 1; i < 6; ++i) {
    const auto near = [&](int k) { return value(k * 0x1p-20); };
    noise = std::max(noise, 8 * std::abs(near(i - 1) - 2 * near(i) + near(i + 1)));
  }
  return noise;
}

/// Returns true for an event whose value is at most `share` of that at an instant before, or zero up to rounding, and
/// was not zero then.
bool arrives(const WatchedEvent& watched, const Instant& begin, const Instant& there, const Observe& observed,
             double share = 0) {
  if (watched.contact >= 0) return false;
  const Vector at_begin = observed(begin);
  const auto [margin, size] = sized_value(watched.continuous(), there, observed(there));
  const double before = std::abs(value_of(watched.continuous(), begin, at_begin));
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * size;
  return std::abs(margin) <= std::max(rounding, share * before) && before > 4 * rounding;
}

/// Adds the events whose value has reached zero where another one changes the member, or would reach it at the same
/// instant, up to rounding. Events whose value leaves zero at the beginning of the step are found by their samples
/// alone.
void add_reached(const Watch& watch, const Instant& begin, const Instant& there, const Observe& observe,
                 const Departure& departure, std::vector<Happening>& found) {
  const auto observed = [&](const Instant& x) { return watch.observes() ? observe(x) : Vector(); };
  for (int event = 0; event < watch.count; ++event) {
    if (std::ranges::count(found, event, &Happening::event) > 0) continue;
    if (std::ranges::count(departure.events, event) > 0) continue;
    const WatchedEvent& watched = watch.events[event];
    const auto value = [&](const Instant& x) { return value_of(watched.expression, x, observed(x)); };
    const double before = value(begin);
    const bool reaches = happens(watched.direction, before, value(there));
    if (!reaches && !(happens(watched.direction, before, 0) && arrives(watched, begin, there, observed))) continue;
    found.insert(watched.ends_step() ? found.end() : found.begin(), {event, there});
  }
}

/// Adds to `waiting` the events whose value has arrived at zero where another one changes the member, but against their
/// direction: they have not occurred, and their value leaves zero from there. `instant`: s, within which rounding hides
/// the difference of two times.
void add_waiting(const Watch& watch, const Instant& begin, const Instant& there, const Observe& observe,
                 const Departure& departure, double instant, const std::vector<Happening>& found,
                 std::vector<int>& waiting) {
  const double share = 16 * instant < there.t - begin.t ? instant / (there.t - begin.t) : 0;
  const auto observed = [&](const Instant& x) { return watch.observes() ? observe(x) : Vector(); };
  for (int event = 0; event < watch.count; ++event) {
    if (watch.events[event].change.settles || std::ranges::count(found, event, &Happening::event) > 0) continue;
    if (std::ranges::count(departure.events, event) > 0) continue;
    const WatchedEvent& watched = watch.events[event];
    if (happens(watched.direction, value_of(watched.expression, begin, observed(begin)), 0)) continue;
    if (arrives(watched, begin, there, observed, share)) waiting.push_back(event);
  }
}

/// Removes the events after `there`, where one of them changes the member, but for those at the same instant, up to
/// rounding: these move there. An event whose value is `hidden` there has occurred before.
void join_instant(const Watch& watch, const Instant& there, double instant, const std::vector<int>& hidden,
                  std::vector<Happening>& found) {
  std::vector<Happening> kept;
  for (Happening& each : found) {
    if (each.at.t > there.t) {
      const bool is_apart = each.at.t > there.t + instant || watch.events[each.event].contact >= 0;
      if (is_apart || std::ranges::count(hidden, each.event) > 0) continue;
      if (std::ranges::count(kept, each.event, &Happening::event) > 0) continue;
      each.at = there;
    }
    kept.push_back(std::move(each));
  }
  found = std::move(kept);
}

}  // namespace

namespace {

/// Tiny number with the sign of a value of zero just behind the beginning of a step; 0 if rounding hides it.
double leaving_value(const Expression& expression, const StateAt& state, const Watch& watch, const Observe& observe) {
  for (const double part : {0x1p-16, 0x1p-11, 0x1p-6}) {
    const Instant x = state(part);
    const Vector observed = watch.observes() ? observe(x) : Vector();
    const auto [value, size] = sized_value(expression, x, observed);
    if (std::abs(value) > 16 * std::numeric_limits<double>::epsilon() * size) return std::copysign(1e-300, value);
  }
  return 0;
}

/// Returns those of these events whose value has not left zero by more than rounding until `there`.
std::vector<int> still_hidden(const Watch& watch, const std::vector<std::pair<int, Leave>>& leaves,
                              const Instant& begin, const Instant& there, const Observe& observe) {
  std::vector<int> hidden;
  for (const auto& [event, leave] : leaves) {
    if (there.t - begin.t > leave.hidden) continue;
    const Vector observed = watch.observes() ? observe(there) : Vector();
    const auto [value, size] = sized_value(watch.events[event].continuous(), there, observed);
    const double away = leave.sign == 0 ? std::abs(value) : leave.sign * value;
    if (away <= 16 * std::numeric_limits<double>::epsilon() * size) hidden.push_back(event);
  }
  return hidden;
}

}  // namespace

StepEvents happenings(const Watch& watch, const Instant& begin, const Instant& end, int parts, const StateAt& state,
                      const StateAt& estimate, const Observe& observe, const Departure& departure,
                      const OpenGaps& gaps) {
  std::vector<Happening> found;
  std::vector<std::pair<int, Leave>> leaves;
  for (int event = 0; event < watch.count; ++event) {
    const WatchedEvent& watched = watch.events[event];
    if (watched.contact >= 0 && begin.p[watch.contacts[watched.contact].mode] == 0) {
      if (const auto closed = closing_at(watch, watched.contact, begin, end, state, gaps)) {
        found.push_back({event, *closed});
      }
      continue;
    }
    const bool departs = std::ranges::count(departure.events, event) > 0;
    const StateAt moved = [&](double part) { return part == 1 ? end : state(part); };
    const Observe observed = [&](const Instant& x) { return watch.observes() ? observe(x) : Vector(); };
    const Leave leave = departs ? leave_of(watched, begin, departure, moved, observed, end.t - begin.t) : Leave{};
    if (departs) leaves.emplace_back(event, leave);
    const auto sample_of = [&](double part, const Instant& x) {
      const Vector observed = watch.observes() ? observe(x) : Vector();
      const SizedValue value = sized_value(watched.expression, x, observed);
      Sample sample = {part, value.value, value_of(watched.continuous(), x, observed),
                       16 * std::numeric_limits<double>::epsilon() * value.size};
      if (!departs || x.t - begin.t > leave.hidden) return sample;
      sample.margin = leave.sign * std::max(std::abs(sample.margin), 1e-300);
      sample.value = watched.margin.size > 0 ? leave.sign : sample.margin;
      return sample;
    };
    const auto sample = [&](double part) { return sample_of(part, state(part)); };
    Sample first = sample_of(0, begin);
    const Sample last = sample_of(1, end);
    if (first.value == 0 && !departs)
      first.value = first.margin = leaving_value(watched.expression, state, watch, observe);
    if (!std::isfinite(last.value - first.value)) continue;
    const auto estimated = [&](double part) { return sample_of(part, estimate(part)); };
    std::vector<Sample> places = {first, last};
    if (const int contact = closed_contact_of(watch, event, begin); contact >= 0) {
      const bool is_slip = watched.contact < 0 && begin.p[watch.contacts[contact].friction.sticks] == 0;
      const auto value = [&](double part) {
        return part == 0 ? first.value : part == 1 ? last.value : sample(part).value;
      };
      const auto cheap = [&](double part) { return estimated(part).value; };
      const auto noise = [&] { return noise_of(watch, watched.expression, !is_slip, begin, observed(begin), cheap); };
      FallSearch search(value, cheap, noise);
      const auto fall = search.between(0, 1, first.value, last.value);
      if (fall) places = {fall->above > 0 ? sample(fall->above) : first, fall->below < 1 ? sample(fall->below) : last};
    } else if (Samples(estimated, first, last, parts).shows_many()) {
      places = Samples(sample, first, last, parts).places();
    }
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      Sample below = places[i];
      Sample above = places[i + 1];
      const double change = std::abs(above.value - below.value);
      if (!happens(watched.direction, below.value, above.value) || !std::isfinite(change)) continue;
      const bool rises = below.value < 0;
      while (above.part - below.part > 0x1p-52) {
        const Sample middle = sample((below.part + above.part) / 2);
        (rises ? middle.value >= 0 : middle.value <= 0) ? above = middle : below = middle;
      }
      const Vector observed = watch.observes() ? observe(end) : Vector();
      const double noise =
          16 * std::numeric_limits<double>::epsilon() * sized_value(watched.expression, end, observed).size;
      const double jump = std::abs(above.value - below.value);
      if (!(jump <= change + noise) && !(jump <= range_of(sample) + noise)) continue;  // a pole
      Happening happening = {event, above.part == 1 ? end : state(above.part)};
      const double rounding = 64 * std::numeric_limits<double>::epsilon() * (std::abs(end.t) + end.t - begin.t);
      happening.stuck = leave.sign != 0 && happening.at.t - begin.t <= 1.001 * leave.hidden + rounding;
      found.push_back(std::move(happening));
    }
  }
  const auto stops = [&](const Happening& each) { return watch.events[each.event].ends_step(); };
  // Among events at the same time, those that are only recorded come first.
  std::ranges::stable_sort(found, [&](const Happening& a, const Happening& b) {
    return a.at.t != b.at.t ? a.at.t < b.at.t : !stops(a) && stops(b);
  });
  const auto stop = std::ranges::find_if(found, stops);
  const bool stops_within = stop != found.end();
  const Instant there = stops_within ? stop->at : end;
  const double instant = 128 * std::numeric_limits<double>::epsilon() * std::max(std::abs(end.t), end.t - begin.t);
  if (stops_within) {
    std::vector<int> hidden;
    for (const auto& [event, leave] : leaves) {
      if (there.t - begin.t <= leave.hidden) hidden.push_back(event);
    }
    join_instant(watch, there, watch.events_change ? instant : 0, hidden, found);
    if (watch.events_change) add_reached(watch, begin, there, observe, departure, found);
  }
  std::vector<int> waiting = still_hidden(watch, leaves, begin, there, observe);
  if (stops_within && watch.events_change) {
    add_waiting(watch, begin, there, observe, departure, instant, found, waiting);
  }
  return {found, waiting};
}

}  // namespace kalaba::reference
