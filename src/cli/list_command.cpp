#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "cli/table.hpp"
#include "scenario/option_text.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

ExitCode list() {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : system_names()) {
    const auto entries = systems_named(name);
    const std::string sizes = sizes_text(entries);
    rows.push_back({name, entries.front()->info.summary + (sizes.empty() ? "" : " (" + sizes + ")")});
  }
  std::fputs(table_text(rows).c_str(), stdout);
  return ExitCode::ok;
}

ExitCode list_json() {
  std::vector<std::string> systems;
  for (const std::string& name : system_names()) {
    const auto entries = systems_named(name);
    const SystemInfo& info = entries.front()->info;
    JsonObject sizes;
    for (const auto& [parameter, size] : info.structure) {
      std::vector<double> values;
      for (const System* entry : entries) values.push_back(entry->info.structure.at(parameter));
      sizes.add_raw(parameter, json_numbers(values));
    }
    JsonObject object;
    object.add("name", name);
    object.add("summary", info.summary);
    object.add("sizes", sizes);
    object.add("any_size", info.agents > 0);
    systems.push_back(object.text());
  }
  print_json(json_array(systems));
  return ExitCode::ok;
}

ExitCode list_options() {
  std::fputs(options_page().c_str(), stdout);
  return ExitCode::ok;
}

}  // namespace

Command add_list_command(const CommandWords& app) {
  const CommandWords words = app.add_command("list", "Show the systems of the catalogue");
  const auto json = std::make_shared<bool>(false);
  words.add_flag("--json", *json, "Print a JSON array of objects, for scripts");
  const auto options = std::make_shared<bool>(false);
  words.add_flag("--options", *options, "Show the options of a run instead: key, values and default");
  words.footer("Example:\n  kalaba list\n  kalaba list --options");
  return {words, [json, options] {
            if (*options) return list_options();
            return *json ? list_json() : list();
          }};
}

}  // namespace kalaba
