#pragma once

#include <string>
#include <vector>

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// Reads the tables [[events]]: the events and their programs. Throws Error naming the file, line and key.
void read_events(Document& document, const SystemInfo& system, Options& options);

/// Events of an array of such tables.
std::vector<Event> read_event_tables(const Node& node, const SystemInfo& system);

/// The tables as TOML.
std::string toml_events(const std::vector<Event>& events);

}  // namespace kalaba
