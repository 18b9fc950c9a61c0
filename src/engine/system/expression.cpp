#include <algorithm>
#include <cctype>
#include <cmath>

#include "formula/graph/fault.hpp"
#include "formula/text/watched.hpp"
#include "kalaba/check_options.hpp"
#include "kalaba/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Sets the quantities of a watch that an expression uses.
void ask_for(const Expression& expression, const SystemInfo& system, Watch& watch) {
  const WatchedRows rows = system.watched_rows();
  for (int i = 0; i < expression.size; ++i) {
    if (expression.code[i].operation != Operation::observed) continue;
    const int row = expression.code[i].index;
    watch.energy = watch.energy || row == rows.energy();
    watch.invariants = watch.invariants || (row > rows.energy() && row < rows.multiplier(0));
    watch.multipliers = watch.multipliers || row >= rows.multiplier(0);
  }
}

}  // namespace

Expression read_expression(const std::string& text, const SystemInfo& system) {
  try {
    const formula::Watched read = formula::read_watched(text, system);
    Watch requested;
    ask_for(read.program, system, requested);
    const formula::Span whole = {0, text.size()};
    if (read.is_condition) throw formula::Fault("expected a number, found a comparison", whole);
    if (requested.observes()) {
      throw formula::Fault("expected coordinates, rates and parameters alone, found what is derived from them", whole);
    }
    return read.program;
  } catch (const formula::Fault& fault) {
    const std::size_t place = fault.spans.empty() ? 0 : fault.spans.front().begin;
    throw ExpressionError(fault.what(), place, fault.word, fault.words);
  }
}

std::string fault_of_name(const std::string& name, std::span<const Event> before) {
  const bool is_word = !name.empty() && std::ranges::all_of(name, in_word);
  if (!is_word || name.size() > Event::longest_name) {
    return "expected a name of letters, digits and _, at most " + std::to_string(Event::longest_name);
  }
  if (std::ranges::count(before, name, &Event::name) > 0) return "expected a name that no other event has";
  return "";
}

std::string fault_of_delay(const Clock& clock) {
  const auto values = static_cast<int>(clock.set.size());
  if (clock.delay == 0 || values == 0 || values > Watch::most_set) return "";
  const int longest = Watch::most_set / values - 1;
  if (clock.delay <= longest) return "";
  return "expected a delay of at most " + std::to_string(longest) + (longest == 1 ? " tick" : " ticks") + " of " +
         std::to_string(values) + (values == 1 ? " new value" : " new values") + ", found " +
         std::to_string(clock.delay) + ": a tick of delay stores every value once more, and a clock stores at most " +
         std::to_string(Watch::most_set);
}

std::string delayed_name(const std::string& target, const std::string& clock, int ticks) {
  return target + "@" + clock + "." + std::to_string(ticks);
}

std::vector<Event> with_contacts(std::vector<Event> events, const SystemInfo& system) {
  std::erase_if(events, [](const Event& each) { return each.contact >= 0; });
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    Event event;
    event.name = system.contacts[i].name;
    event.direction = Crossing::falling;
    event.action = EventAction::record;
    event.contact = static_cast<int>(i);
    events.push_back(event);
    if (!system.contacts[i].friction) continue;
    event.name += "_slip";
    event.is_slip = true;
    events.push_back(std::move(event));
  }
  return events;
}

bool may_change(std::span<const Event> events, std::span<const Clock> clocks) {
  const auto changes = [](const Event& each) { return !each.set.empty() || each.contact >= 0; };
  return !clocks.empty() || std::ranges::any_of(events, changes);
}

namespace {

/// Appends changes to a watch.
class ChangeWriter {
 public:
  ChangeWriter(const SystemInfo& system, Watch& watch) : system_(system), watch_(watch) {}

  /// Throws Error without the name of the event or clock.
  Change write(const std::vector<NewValue>& set, const std::string& clock = "", int delay = 0) {
    Change change;
    change.first = assignments_;
    std::vector<std::string> targets;
    for (const NewValue& each : set) {
      if (std::ranges::count(targets, each.target) > 0) refuse(each.target + " is set twice");
      targets.push_back(each.target);
      try {
        const formula::Target target = formula::target_of(each.target, system_);
        if (delay > 0 && target.sort != Settable::discrete) {
          refuse(each.target + " is set with a delay: expected a discrete variable");
        }
        const Expression value = formula::read_new_value(each.value, each.target, system_);
        std::string into = each.target;
        for (int ticks = 1; ticks <= delay; ++ticks) {
          const std::string from = delayed_name(each.target, clock, ticks);
          append(index_of(into), copy_of(index_of(from)), change);
          into = from;
        }
        append(delay > 0 ? index_of(into) : target, value, change);
      } catch (const formula::Fault& fault) {
        refuse(each.target + ": " + fault.what() + formula::excerpt(each.value, fault.spans));
      }
    }
    return change;
  }
  Change write(const Noise& noise) {
    Change change;
    change.first = assignments_;
    for (const Noise::Term& term : noise.terms) {
      append({Settable::rate, term.rate}, term.intensity, change);
      watch_.assignments[assignments_ - 1].source = term.source;
    }
    return change;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw Error(ExitCode::bad_input, why); }

  formula::Target index_of(const std::string& name) const {
    const auto found = std::ranges::find(system_.parameters, name, &Variable::name);
    if (found == system_.parameters.end()) {
      refuse(name + " has no place: a clock with a delay belongs to the scenario of its model");
    }
    return {Settable::discrete, static_cast<int>(found - system_.parameters.begin())};
  }
  static Expression copy_of(const formula::Target& from) {
    Expression copy;
    copy.code[copy.size++] = {Operation::parameter, from.index, 0};
    return copy;
  }
  void append(const formula::Target& target, const Expression& value, Change& change) {
    if (change.count == Watch::most_set || assignments_ == Watch::most_assignments) {
      refuse("expected at most " + std::to_string(Watch::most_set) + " new values, and " +
             std::to_string(Watch::most_assignments) + " of all events and clocks");
    }
    if (instructions_ + value.size > Watch::most_instructions) {
      refuse("the new values of all events and clocks are too long: expected at most " +
             std::to_string(Watch::most_instructions) + " numbers, names and operators");
    }
    watch_.assignments[assignments_++] = {target.sort, target.index, instructions_, value.size};
    std::copy_n(value.code, value.size, watch_.code + instructions_);
    instructions_ += value.size;
    ++change.count;
    change.moves = change.moves || target.sort != Settable::rate;
    change.observes = change.observes || value.observes();
  }

  const SystemInfo& system_;
  Watch& watch_;
  int assignments_ = 0;
  int instructions_ = 0;
};

/// Number of instructions behind `end` that compute the number that the last of them leaves on the stack.
int size_of_operand(const Expression& expression, int end) {
  int first = end;
  for (int missing = 1; missing > 0;) missing += argument_count(expression.code[--first].operation) - 1;
  return end - first;
}

/// Adds the operands of the instructions of an event before `end`, or these themselves if they are no min, max or
/// negation.
void add_operands(const Expression& expression, int event, int end, std::vector<WatchedOperand>& operands) {
  const Operation root = expression.code[end - 1].operation;
  const int size = size_of_operand(expression, end);
  if (root == Operation::negate) {
    add_operands(expression, event, end - 1, operands);
  } else if (root == Operation::min || root == Operation::max) {
    add_operands(expression, event, end - 1 - size_of_operand(expression, end - 1), operands);
    add_operands(expression, event, end - 1, operands);
  } else {
    operands.push_back({event, end - size, size});
  }
}

/// Adds the operands of an event to a watch, if it has several.
void watch_operands(int event, Watch& watch) {
  const Expression& expression = watch.events[event].continuous();
  std::vector<WatchedOperand> operands;
  add_operands(expression, event, expression.size, operands);
  if (operands.size() < 2) return;
  const std::size_t all = static_cast<std::size_t>(watch.operand_count) + operands.size();
  if (all > Watch::most_operands) {
    throw Error(ExitCode::bad_input, "expected at most " + std::to_string(Watch::most_operands) +
                                         " comparisons in the conditions of all events, found " + std::to_string(all));
  }
  std::ranges::copy(operands, watch.operands + watch.operand_count);
  watch.operand_count = static_cast<int>(all);
}

/// Adds the contact of an event: its value is the multiplier while the contact is closed, else the gap.
void watch_contact(const Contact& contact, const SystemInfo& system, int event, Watch& watch) {
  WatchedEvent& watched = watch.events[event];
  watched.contact = watch.contact_count;
  watched.change.settles = true;
  const WatchedRows rows = system.watched_rows();
  WatchedContact& own = watch.contacts[watch.contact_count++];
  own = {.event = event,
         .row = contact.row,
         .mode = contact.mode,
         .slack = contact.slack,
         .force = rows.multiplier(contact.row),
         .gap = rows.gap(watched.contact),
         .gap_rate = rows.gap_rate(watched.contact),
         .law = contact.law,
         .restitution = contact.restitution};
  watched.expression = contact_event(own);
  watch.impacts = system.impacts;
  watch.events_change = true;
}

/// Adds the friction of the last contact of the watch, as an event.
void watch_friction(const Contact& contact, const SystemInfo& system, int event, Watch& watch) {
  const WatchedRows rows = system.watched_rows();
  WatchedContact& own = watch.contacts[watch.contact_count - 1];
  const ContactFriction& friction = *contact.friction;
  own.friction = {.tangent = friction.row,
                  .second = friction.in_plane ? friction.row + 1 : 0,
                  .event = event,
                  .sticks = friction.sticks,
                  .slides = friction.slides,
                  .way = {friction.way[0], friction.way[1]},
                  .least = friction.least,
                  .slack = friction.slack,
                  .force = rows.multiplier(friction.row),
                  .coefficient = friction.coefficient};
  watch.events[event].change.settles = true;
  watch.events[event].expression = friction_event(own, friction.slip[0], friction.slip[1]);
  for (int i = 0; i < friction.rows(); ++i) ask_for(friction.slip[i], system, watch);
}

}  // namespace

Watch watch_of(const std::vector<Event>& given, const SystemInfo& system, const std::vector<Clock>& clocks) {
  const std::vector<Event> events = with_contacts(given, system);
  Watch watch;
  watch.first_discrete = system.first_discrete();
  ChangeWriter changes(system, watch);
  if (events.size() > Watch::most_events) {
    throw Error(ExitCode::bad_input,
                "expected at most " + std::to_string(Watch::most_events) +
                    (system.contacts.empty() ? " events, found " : " events and contacts, found ") +
                    std::to_string(events.size()));
  }
  for (const Event& event : events) {
    const auto refuse = [&](const std::string& why) {
      throw Error(ExitCode::bad_input, "event \"" + event.name + "\": " + why);
    };
    const std::span before(events.data(), static_cast<std::size_t>(watch.count));
    if (const std::string fault = fault_of_name(event.name, before); !fault.empty()) refuse(fault);
    WatchedEvent& watched = watch.events[watch.count++];
    watched.direction = event.direction;
    watched.action = event.action;
    if (event.contact >= 0) {
      const auto watch_it = event.is_slip ? watch_friction : watch_contact;
      watch_it(system.contacts[static_cast<std::size_t>(event.contact)], system, watch.count - 1, watch);
      continue;
    }
    try {
      const formula::Watched read = formula::read_event(event.when, system);
      watched.expression = read.program;
      watched.margin = read.margin;
      watched.held = read.held;
    } catch (const formula::Fault& fault) {
      refuse(fault.what() + formula::excerpt(event.when, fault.spans));
    }
    ask_for(watched.expression, system, watch);
    ask_for(watched.margin, system, watch);
    try {
      watch_operands(watch.count - 1, watch);
    } catch (const Error& error) {
      refuse(error.what());
    }
    if (event.set.empty()) continue;
    if (event.action == EventAction::stop) refuse("expected action = \"record\" with set, found \"stop\"");
    try {
      watched.change = changes.write(event.set);
    } catch (const Error& error) {
      refuse(error.what());
    }
    watch.events_change = true;
  }
  const std::size_t most_clocks = Watch::most_clocks - (system.noise ? 1 : 0);
  if (clocks.size() > most_clocks) {
    throw Error(ExitCode::bad_input, "expected at most " + std::to_string(most_clocks) + " clocks" +
                                         (system.noise ? " beside noise" : "") + ", found " +
                                         std::to_string(clocks.size()));
  }
  for (const Clock& clock : clocks) {
    const auto refuse = [&](const std::string& why) {
      throw Error(ExitCode::bad_input, "clock \"" + clock.name + "\": " + why);
    };
    if (const std::string fault = fault_of_name(clock.name, events); !fault.empty()) refuse(fault);
    const std::span before(clocks.data(), static_cast<std::size_t>(watch.clock_count));
    if (std::ranges::count(before, clock.name, &Clock::name) > 0) refuse("expected a name that no other clock has");
    if (!(clock.every > 0) || !std::isfinite(clock.every)) refuse("expected every to be a positive number of seconds");
    if (!(clock.offset >= 0) || !std::isfinite(clock.offset)) refuse("expected an offset of at least 0 s");
    if (clock.delay < 0 || clock.delay > Clock::longest_delay) {
      refuse("expected a delay of 0 to " + std::to_string(Clock::longest_delay) + " ticks");
    }
    if (clock.set.empty()) refuse("expected new values, found none");
    if (const std::string fault = fault_of_delay(clock); !fault.empty()) refuse(fault);
    WatchedClock& watched = watch.clocks[watch.clock_count++];
    watched.every = clock.every;
    watched.offset = clock.offset;
    try {
      watched.change = changes.write(clock.set, clock.name, clock.delay);
    } catch (const Error& error) {
      refuse(error.what());
    }
  }
  if (system.noise) {
    WatchedClock& watched = watch.clocks[watch.clock_count++];
    watched.every = system.noise->every;
    watched.offset = system.noise->every / 2;
    watched.noise_key = system.noise->key;
    try {
      watched.change = changes.write(*system.noise);
    } catch (const Error& error) {
      throw Error(ExitCode::bad_input, std::string("noise: ") + error.what());
    }
  }
  return watch;
}

}  // namespace kalaba
