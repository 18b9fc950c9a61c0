#include <algorithm>
#include <cctype>

#include "formula/fault.hpp"
#include "formula/watched.hpp"
#include "kalaba/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Sets the quantities of a watch that an expression uses.
void ask_for(const Expression& expression, const SystemInfo& system, Watch& watch) {
  const WatchedRows rows = {static_cast<int>(system.invariants.size()), static_cast<int>(system.constraints.size())};
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
    Watch asked;
    ask_for(read.program, system, asked);
    const formula::Span whole = {0, text.size()};
    if (read.is_condition) throw formula::Fault("expected a number, found a comparison", whole);
    if (asked.observes()) {
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

Watch watch_of(const std::vector<Event>& events, const SystemInfo& system) {
  Watch watch;
  if (events.size() > Watch::most_events) {
    throw Error(ExitCode::bad_input, "expected at most " + std::to_string(Watch::most_events) + " events, found " +
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
    try {
      const formula::Watched read = formula::read_watched(event.when, system);
      watched.expression = read.program;
      watched.margin = read.margin;
    } catch (const formula::Fault& fault) {
      refuse(fault.what() + formula::excerpt(event.when, fault.spans));
    }
    ask_for(watched.expression, system, watch);
    ask_for(watched.margin, system, watch);
  }
  return watch;
}

}  // namespace kalaba
