#include "report/page/event_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "report/text/text.hpp"

namespace kalaba {
namespace {

/// Returns true for a condition, whose event is a change of its truth value; false for a number, whose event is a zero.
bool is_condition(const std::string& when) { return when.find_first_of("<>=") != std::string::npos; }

}  // namespace

std::vector<std::vector<std::string>> event_rows(const Archive& archive) {
  const Inventory& file = archive.inventory();
  for (const char* needed : {"event", "event_when", "event_direction", "event_action"}) {
    const FileVariable* labels = file.find(needed);
    if (labels == nullptr || labels->type != FileVariable::Type::text) return {};
  }
  const std::vector<std::string> names = archive.texts("event");
  const std::vector<std::string> when = archive.texts("event_when");
  const std::vector<std::string> directions = archive.texts("event_direction");
  const std::vector<std::string> actions = archive.texts("event_action");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto number = [&](const char* what) {
      const std::string text = file.attribute("event_" + names[i] + what);
      return text.empty() ? std::nan("") : std::strtod(text.c_str(), nullptr);
    };
    const auto count = [&](const char* what) {
      const double members = number(what);
      return std::isfinite(members) ? grouped(static_cast<long>(members)) : "";
    };
    const double earliest = number("_earliest");
    const double latest = number("_latest");
    std::string times;
    if (std::isfinite(earliest)) times = fmt::format("{:.6g} s", earliest);
    if (latest > earliest) times += fmt::format(" to {:.6g} s", latest);
    const std::string direction = directions[i] == "any" ? "" : " " + directions[i];
    const std::string sign = is_condition(when[i]) ? "" : " = 0";
    const bool is_slip =
        names[i].ends_with("_slip") && std::ranges::count(names, names[i].substr(0, names[i].size() - 5)) > 0;
    const std::string of_contact = is_slip ? "the contact begins or ends to slide" : "the contact closes";
    const std::string what = when[i].empty() ? of_contact : when[i] + sign + direction;
    rows.push_back({names[i], what + ", " + actions[i], count("_members"), count("_crossings"), times});
  }
  return rows;
}

}  // namespace kalaba
