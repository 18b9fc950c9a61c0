#include <algorithm>

#include "kalaba/error.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  for (const System& system : catalogue()) {
    if (names.empty() || names.back() != system.info.name) names.push_back(system.info.name);
  }
  names.push_back(default_swarm().info.name);
  return names;
}

const System& find_system(std::string_view name, const std::map<std::string, int>& structure) {
  std::string sizes;
  for (const System& system : catalogue()) {
    if (system.info.name != name) continue;
    const auto agrees = [&](const auto& requested) {
      const auto found = system.info.structure.find(requested.first);
      return found != system.info.structure.end() && found->second == requested.second;
    };
    if (std::all_of(structure.begin(), structure.end(), agrees)) return system;
    for (const auto& [key, value] : system.info.structure) sizes += ' ' + key + '=' + std::to_string(value);
  }
  if (sizes.empty() && name == default_swarm().info.name) {
    if (structure.empty()) return default_swarm();
    throw Error(ExitCode::bad_input, "a swarm of any size: make_swarm (kalaba/swarm.hpp) makes it");
  }
  if (sizes.empty()) throw Error(ExitCode::bad_input, "no system is called '" + std::string(name) + "'");
  throw Error(ExitCode::bad_input, std::string(name) + " is not built in that size; there is" + sizes);
}

}  // namespace kalaba
