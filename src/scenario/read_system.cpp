#include "scenario/read_system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "scenario/read_swarm.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

using Entries = std::vector<const System*>;

Entries entries_of_that_name(const std::string& name, const std::vector<System>& systems) {
  Entries matching;
  for (const System& system : systems) {
    if (system.info.name == name) matching.push_back(&system);
  }
  return matching;
}

[[noreturn]] void fail_unknown(const Node& node, const std::vector<System>& systems) {
  std::vector<std::string> names = {default_swarm().info.name};
  for (const System& system : systems) names.push_back(system.info.name);
  node.fail("expected the name of a system, found " + node.found() + suggestion(node.text(), names) +
            " (kalaba list shows them" +
            (node.place().empty() ? "; the name of a file has a / or ends in .toml)" : ")"));
}

/// Keeps the entries whose structural parameter has the value of the node.
void keep_size(const Node& node, const std::string& parameter, Entries& entries) {
  const auto requested = node.integer(0, std::numeric_limits<int>::max());
  std::set<int> sizes;
  for (const System* system : entries) sizes.insert(system->info.structure.at(parameter));
  if (!sizes.contains(static_cast<int>(requested))) {
    node.fail(fmt::format("expected one of the sizes {} that {} is built for, found {}", fmt::join(sizes, ", "),
                          entries.front()->info.name, requested));
  }
  std::erase_if(entries, [&](const System* system) { return system->info.structure.at(parameter) != requested; });
}

}  // namespace

NamedSystem read_system(Document& document, const std::vector<System>& systems) {
  if (auto text = read_text_system(document)) {
    std::shared_ptr<const System> system(text, &text->system);
    return {std::move(system), {}, std::move(text)};
  }
  const auto node = document.find("system");
  if (!node)
    document.fail_missing("system", "add system = \"NAME\" (kalaba list shows the names), or the table [model]");
  Entries entries = entries_of_that_name(node->text(), systems);
  if (entries.empty() && node->text() == default_swarm().info.name) return read_swarm(document);
  if (entries.empty()) fail_unknown(*node, systems);
  const std::map<std::string, int> structure = entries.front()->info.structure;
  for (const auto& [parameter, size] : structure) {
    if (const auto requested = document.find("structure." + parameter)) keep_size(*requested, parameter, entries);
  }
  return {{std::shared_ptr<const System>(), entries.front()}, {}, {}};  // not owned
}

}  // namespace kalaba
