#include "scenario/read_events.hpp"

#include <fmt/format.h>

#include <optional>

#include "formula/watched.hpp"
#include "kalaba/swarm_limits.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/model/written.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

std::string read_name(const Node& node, const std::vector<Event>& before) {
  const std::string name = node.text();
  if (const std::string fault = fault_of_name(name, before); !fault.empty()) {
    node.fail(fault + ", found " + node.found());
  }
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

Event read_event(const Node& table, const SystemInfo& system, const std::vector<Event>& before) {
  Event event;
  Crossing default_direction = Crossing::any;
  std::optional<Crossing> direction;
  const std::vector<std::string> keys = {"name", "when", "direction", "action"};
  for (const Node& entry : table.entries()) {
    const std::string key = entry.name();
    if (key == "name") {
      event.name = read_name(entry, before);
    } else if (key == "when") {
      event.when = read_when(entry, system, default_direction);
    } else if (key == "direction") {
      direction = choice(entry, {Crossing::rising, Crossing::falling, Crossing::any}, crossing_name);
    } else if (key == "action") {
      event.action = choice(entry, {EventAction::stop, EventAction::record}, event_action_name);
    } else {
      entry.fail("unknown key" + suggestion(key, keys));
    }
  }
  if (event.name.empty()) table.fail("name is missing; add name = \"...\", which the output calls the event by");
  if (event.when.empty()) table.fail("when is missing; add when = \"...\", an expression that goes through zero");
  event.direction = direction.value_or(default_direction);
  return event;
}

}  // namespace

std::vector<Event> read_event_tables(const Node& node, const SystemInfo& system) {
  const std::vector<Node> tables = node.items("tables [[events]]");
  if (!tables.empty()) {
    if (const char* why = swarm_lacks(system, NotOfSwarms::events)) tables.front().fail(why);
  }
  if (tables.size() > Watch::most_events) {
    tables[Watch::most_events].fail(fmt::format("expected at most {} events", Watch::most_events));
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
  options.watch = watch_of(options.events, system);
}

std::string toml_events(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    text += fmt::format("\n[[events]]\nname = {}\nwhen = {}\ndirection = \"{}\"\naction = \"{}\"\n",
                        toml_string(event.name), toml_string(event.when), crossing_name(event.direction),
                        event_action_name(event.action));
  }
  return text;
}

}  // namespace kalaba
