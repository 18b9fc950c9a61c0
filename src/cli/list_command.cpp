#include <cstdio>

#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "cli/table.hpp"

namespace kalaba {
namespace {

ExitCode list() {
  std::vector<std::vector<std::string>> rows;
  for (const System& system : catalogue()) {
    const auto entries = systems_named(system.info.name);
    if (entries.front() != &system) continue;
    const std::string sizes = sizes_text(entries);
    rows.push_back({system.info.name, system.info.summary + (sizes.empty() ? "" : " (" + sizes + ")")});
  }
  std::fputs(table_text(rows).c_str(), stdout);
  return ExitCode::ok;
}

}  // namespace

Command add_list_command(CLI::App& app) {
  CLI::App* words = app.add_subcommand("list", "Show the systems of the catalogue");
  words->footer("Example:\n  kalaba list");
  return {words, list};
}

}  // namespace kalaba
