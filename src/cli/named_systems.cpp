#include "cli/named_systems.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kalaba/error.hpp"
#include "kalaba/swarm.hpp"
#include "text/nearest.hpp"

namespace kalaba {

std::vector<const System*> systems_named(const std::string& name) {
  std::vector<const System*> entries;
  for (const System& system : catalogue()) {
    if (system.info.name == name) entries.push_back(&system);
  }
  if (name == default_swarm().info.name) entries.push_back(&default_swarm());
  if (entries.empty()) {
    throw Error(ExitCode::bad_input, fmt::format("there is no system '{}'{}; kalaba list shows them", name,
                                                 suggestion(name, system_names())));
  }
  return entries;
}

std::vector<const System*> systems_named_or_all(const std::vector<std::string>& names) {
  std::vector<const System*> systems;
  for (const std::string& name : names.empty() ? system_names() : names) {
    for (const System* each : systems_named(name)) {
      if (std::ranges::find(systems, each) == systems.end()) systems.push_back(each);
    }
  }
  return systems;
}

std::string sizes_text(const std::vector<const System*>& entries) {
  if (entries.front() == &default_swarm()) return fmt::format("agents = 1 to {}; dimension = 2, 3", most_agents);
  std::vector<std::string> parts;
  for (const auto& [parameter, first] : entries.front()->info.structure) {
    std::vector<int> sizes;
    for (const System* entry : entries) sizes.push_back(entry->info.structure.at(parameter));
    parts.push_back(fmt::format("{} = {}", parameter, fmt::join(sizes, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace kalaba
