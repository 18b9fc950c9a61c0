#include "scenario/read_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formula/text/watched.hpp"
#include "kalaba/check_options.hpp"
#include "kalaba/swarm_limits.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/model/written.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

std::string read_name(const Node& node, const SystemInfo& system, const std::vector<Event>& before) {
  const std::string name = node.text();
  std::string fault = fault_of_name(name, before);
  for (const Contact& each : system.contacts) {
    const bool is_taken = each.name == name || (each.friction && each.name + "_slip" == name);
    if (is_taken) fault = "expected a name that no contact has";
  }
  if (!fault.empty()) node.fail(fault + ", found " + node.found());
  return name;
}

/// Reads the expression of an event. The default direction of a condition is its change from false to true.
std::string read_when(const Node& node, const SystemInfo& system, Crossing& default_direction) {
  const std::string when = node.text();
  const formula::Watched read = text_model::placed(node, [&] { return formula::read_watched(when, system); });
  if (!read.changes) node.expected("an expression of t, coordinates or rates, which can go through zero");
  if (read.is_condition) default_direction = Crossing::rising;
  return when;
}

/// Reads a table of new values: { v = "-e*v" }.
std::vector<NewValue> read_new_values(const Node& table, const SystemInfo& system) {
  if (!table.is_table()) table.expected("new values such as { v = \"-v\" }");
  std::vector<NewValue> set;
  for (const Node& entry : table.entries()) {
    const std::string target = entry.name();
    try {
      formula::target_of(target, system);
    } catch (const formula::Fault& fault) {
      entry.fail(fault.what() + (fault.word.empty() ? std::string() : suggestion(fault.word, fault.words)));
    }
    const text_model::Written written = text_model::read_written(entry);
    const std::string value = written.number ? toml_number(*written.number) : entry.text();
    if (!written.number) text_model::placed(entry, [&] { formula::read_new_value(value, target, system); });
    set.push_back({target, value});
  }
  if (set.empty()) table.expected("a new value, such as { v = \"-v\" }");
  return set;
}

Event read_event(const Node& table, const SystemInfo& system, const std::vector<Event>& before) {
  Event event;
  Crossing default_direction = Crossing::any;
  std::optional<Crossing> direction;
  std::optional<Node> action;
  const std::vector<std::string> keys = {"name", "when", "direction", "action", "set"};
  for (const Node& entry : table.entries()) {
    const std::string key = entry.name();
    if (key == "name") {
      event.name = read_name(entry, system, before);
    } else if (key == "when") {
      event.when = read_when(entry, system, default_direction);
    } else if (key == "direction") {
      direction = choice(entry, {Crossing::rising, Crossing::falling, Crossing::any}, crossing_name);
    } else if (key == "action") {
      event.action = choice(entry, {EventAction::stop, EventAction::record}, event_action_name);
      action = entry;
    } else if (key == "set") {
      event.set = read_new_values(entry, system);
    } else {
      entry.fail("unknown key" + suggestion(key, keys));
    }
  }
  if (event.name.empty()) table.fail("name is missing; add name = \"...\", which the output calls the event by");
  if (event.when.empty()) table.fail("when is missing; add when = \"...\", an expression that goes through zero");
  event.direction = direction.value_or(default_direction);
  if (event.set.empty()) return event;
  if (action && event.action == EventAction::stop) {
    action->fail("an event with set does not stop a member: expected \"record\", found \"stop\"");
  }
  event.action = EventAction::record;
  return event;
}

}  // namespace

std::vector<Event> read_event_tables(const Node& node, const SystemInfo& system) {
  const std::vector<Node> tables = node.items("tables [[events]]");
  if (!tables.empty()) {
    if (const char* why = swarm_lacks(system, NotOfSwarms::events)) tables.front().fail(why);
  }
  if (const auto contacts = static_cast<std::size_t>(system.contact_events());
      tables.size() + contacts > Watch::most_events) {
    tables[Watch::most_events - std::min<std::size_t>(contacts, Watch::most_events)].fail(
        contacts == 0 ? fmt::format("expected at most {} events", Watch::most_events)
                      : fmt::format("expected at most {} events and contacts, found {} contacts and {} events",
                                    Watch::most_events, contacts, tables.size()));
  }
  std::vector<Event> events;
  for (const Node& table : tables) events.push_back(read_event(table, system, events));
  return events;
}

void read_events(Document& document, const SystemInfo& system, Options& options) {
  const auto node = document.find("events");
  if (!node) return;
  options.events = read_event_tables(*node, system);
  if (!options.events.empty() && options.method.pseudo_inverse == PseudoInverse::cusolver) {
    node->items().front().fail("events are watched with solver.pseudo_inverse = " + core_pseudo_inverses() +
                               ", found \"cusolver\"");
  }
}

void read_clocks(Document& document, const SystemInfo& system, Options& options) {
  if (const auto node = document.find("clocks")) {
    options.clocks = read_clock_tables(*node, system, options.events);
  }
}

namespace {

Clock read_clock(const Node& table, const SystemInfo& system, const std::vector<Event>& events,
                 const std::vector<Clock>& before) {
  Clock clock;
  clock.every = 0;
  std::optional<Node> set;
  std::optional<Node> delay;
  const std::vector<std::string> keys = {"name", "every", "offset", "delay", "set"};
  for (const Node& entry : table.entries()) {
    const std::string key = entry.name();
    if (key == "name") {
      clock.name = read_name(entry, system, events);
      std::string fault;
      if (std::ranges::count(before, clock.name, &Clock::name) > 0) fault = "expected a name that no other clock has";
      if (!fault.empty()) entry.fail(fault + ", found " + entry.found());
    } else if (key == "every") {
      clock.every = entry.number();
      if (!(clock.every > 0)) entry.expected("a positive number of seconds");
    } else if (key == "offset") {
      clock.offset = entry.number();
      if (!(clock.offset >= 0)) entry.expected("a number of seconds of at least 0");
    } else if (key == "delay") {
      clock.delay = static_cast<int>(entry.integer(0, Clock::longest_delay));
      delay = entry;
    } else if (key == "set") {
      set = entry;
    } else {
      entry.fail("unknown key" + suggestion(key, keys));
    }
  }
  if (clock.name.empty()) table.fail("name is missing; add name = \"...\"");
  if (clock.every == 0) table.fail("every is missing; add every = 0.01, the time between two ticks in s");
  if (!set) table.fail("set is missing; add set = { NAME = \"...\" }, the new values at a tick");
  clock.set = read_new_values(*set, system);
  for (const Node& entry : set->entries()) {
    if (clock.delay == 0 || formula::target_of(entry.name(), system).sort == Settable::discrete) continue;
    entry.fail("a clock with a delay sets discrete variables alone");
  }
  if (const std::string fault = fault_of_delay(clock); !fault.empty()) delay.value_or(*set).fail(fault);
  return clock;
}

}  // namespace

std::vector<Clock> read_clock_tables(const Node& node, const SystemInfo& system, const std::vector<Event>& events) {
  const std::vector<Node> tables = node.items("tables [[clocks]]");
  if (!tables.empty()) {
    if (const char* why = swarm_lacks(system, NotOfSwarms::events)) tables.front().fail(why);
  }
  if (tables.size() > Watch::most_clocks) {
    tables[Watch::most_clocks].fail(fmt::format("expected at most {} clocks", Watch::most_clocks));
  }
  std::vector<Clock> clocks;
  for (const Node& table : tables) clocks.push_back(read_clock(table, system, events, clocks));
  return clocks;
}

std::vector<text_model::DelayedValue> delayed_values(const std::optional<Node>& clocks) {
  std::vector<text_model::DelayedValue> values;
  if (!clocks || !clocks->is_array()) return values;
  for (const Node& table : clocks->items()) {
    if (!table.is_table()) continue;
    const auto name = text_model::entry_of(table, "name");
    const auto delay = text_model::entry_of(table, "delay");
    const auto set = text_model::entry_of(table, "set");
    if (!name || !delay || !set || !set->is_table()) continue;
    const int ticks = static_cast<int>(delay->integer(0, Clock::longest_delay));
    for (const Node& entry : set->entries()) {
      if (ticks > 0) values.push_back({entry.name(), name->text(), ticks});
    }
  }
  return values;
}

namespace {

std::string toml_set(const std::vector<NewValue>& set) {
  std::string text;
  for (const NewValue& each : set) {
    text += (text.empty() ? "" : ", ") + toml_key(each.target) + " = " + toml_string(each.value);
  }
  return fmt::format("set = {{ {} }}\n", text);
}

}  // namespace

std::string toml_clocks(const std::vector<Clock>& clocks) {
  std::string text;
  for (const Clock& clock : clocks) {
    text += fmt::format("\n[[clocks]]\nname = {}\nevery = {}\noffset = {}\ndelay = {}\n{}", toml_string(clock.name),
                        toml_number(clock.every), toml_number(clock.offset), clock.delay, toml_set(clock.set));
  }
  return text;
}

std::string toml_events(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    if (event.contact >= 0) continue;  // of the model
    text += fmt::format("\n[[events]]\nname = {}\nwhen = {}\ndirection = \"{}\"\naction = \"{}\"\n",
                        toml_string(event.name), toml_string(event.when), crossing_name(event.direction),
                        event_action_name(event.action));
    if (!event.set.empty()) text += toml_set(event.set);
  }
  return text;
}

}  // namespace kalaba
