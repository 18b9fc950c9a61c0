#include "scenario/read_events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "scenario/nearest.hpp"
#include "scenario/toml_text.hpp"

namespace kalaba {
namespace {

std::string read_name(const Node& node, const std::vector<Event>& before) {
  const std::string name = node.text();
  if (const std::string fault = fault_of_name(name, before); !fault.empty()) {
    node.fail(fault + ", found " + node.found());
  }
  return name;
}

bool can_change(const Expression& expression) {
  return std::any_of(expression.code, expression.code + expression.size, [](const Instruction& each) {
    return each.operation == Operation::time || each.operation == Operation::coordinate ||
           each.operation == Operation::rate;
  });
}

/// What is wrong is pointed at in a line below.
std::string read_when(const Node& node, const SystemInfo& system) {
  const std::string when = node.text();
  try {
    if (!can_change(read_expression(when, system))) {
      node.expected("an expression of t, coordinates or rates, which can go through zero");
    }
  } catch (const ExpressionError& error) {
    std::string message = error.what();
    if (!error.word.empty()) {
      std::string meant = suggestion(error.word, error.words);
      if (meant.empty()) meant = fmt::format(" (there are {})", fmt::join(error.words, ", "));
      message += meant;
    }
    const bool one_line = std::ranges::none_of(when, [](unsigned char c) { return c < ' '; });
    if (one_line) message += fmt::format("\n    {}\n    {:>{}}", when, "^", error.place + 1);
    node.fail(message);
  }
  return when;
}

Event read_event(const Node& table, const SystemInfo& system, const std::vector<Event>& before) {
  Event event;
  const std::vector<std::string> keys = {"name", "when", "direction", "action"};
  for (const Node& entry : table.entries()) {
    const std::string key = entry.name();
    if (key == "name") {
      event.name = read_name(entry, before);
    } else if (key == "when") {
      event.when = read_when(entry, system);
    } else if (key == "direction") {
      event.direction = choice(entry, {Crossing::rising, Crossing::falling, Crossing::any}, crossing_name);
    } else if (key == "action") {
      event.action = choice(entry, {EventAction::stop, EventAction::record}, event_action_name);
    } else {
      entry.fail("unknown key" + suggestion(key, keys));
    }
  }
  if (event.name.empty()) table.fail("name is missing; add name = \"...\", which the output calls the event by");
  if (event.when.empty()) table.fail("when is missing; add when = \"...\", an expression that goes through zero");
  return event;
}

}  // namespace

void read_events(Document& document, const SystemInfo& system, Options& options) {
  const auto node = document.find("events");
  if (!node) return;
  const std::vector<Node> tables = node->items("tables [[events]]");
  if (!tables.empty() && system.agents > 0) {
    tables.front().fail("events are not watched in a swarm of any number of agents");
  }
  if (tables.size() > Watch::most_events) {
    tables[Watch::most_events].fail(fmt::format("expected at most {} events", Watch::most_events));
  }
  if (!tables.empty() && options.method.pseudo_inverse == PseudoInverse::cusolver) {
    tables.front().fail("events are watched with solver.pseudo_inverse = \"svd\" or \"qr\", found \"cusolver\"");
  }
  for (const Node& table : tables) options.events.push_back(read_event(table, system, options.events));
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
