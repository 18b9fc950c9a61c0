#pragma once

#include <string>
#include <vector>

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"
#include "scenario/model/declarations.hpp"

namespace kalaba {

/// Reads the tables [[events]]: the events and their programs. Throws Error naming the file, line and key.
void read_events(Document& document, const SystemInfo& system, Options& options);
/// Reads the tables [[clocks]]; call after read_events. Throws Error as it does.
void read_clocks(Document& document, const SystemInfo& system, Options& options);

/// Events of an array of such tables.
std::vector<Event> read_event_tables(const Node& node, const SystemInfo& system);

/// The tables as TOML.
std::string toml_events(const std::vector<Event>& events);

/// Reads the array [[clocks]] for a system; no clock has the name of an event. Throws Error.
std::vector<Clock> read_clock_tables(const Node& node, const SystemInfo& system, const std::vector<Event>& events);

/// Values that clocks set with a delay. Errors of other keys are not reported.
std::vector<text_model::DelayedValue> delayed_values(const std::optional<Node>& clocks);

/// Clocks as the TOML array [[clocks]].
std::string toml_clocks(const std::vector<Clock>& clocks);

}  // namespace kalaba
