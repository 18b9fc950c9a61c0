#include "report/data/event_times.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <cstdlib>
#include "report/data/member_numbers.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

/// Returns true for a condition, whose event is a change of its truth value; false for a number, whose event is a zero.
bool is_condition(const std::string& when) { return when.find_first_of("<>=") != std::string::npos; }

}  // namespace

std::vector<EventTimes> event_times(const MemberSample& members) {
  std::vector<EventTimes> all;
  const std::vector<double>& saved = members.contents().times;
  for (const std::string& event : members.events()) {
    EventTimes of;
    of.event = event;
    const std::vector<double> first = member_number(members, "time(" + event + ")").values;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const double end = saved.empty() ? std::numeric_limits<double>::infinity() : saved.back();
      const bool happened = std::isfinite(first[i]);
      (happened ? of.times : of.left).push_back(happened ? first[i] : std::min(members.until(i).time, end));
    }
    std::ranges::sort(of.times);
    std::ranges::sort(of.left);
    all.push_back(std::move(of));
  }
  return all;
}

Survival survival(const EventTimes& of) {
  Survival curve;
  double share = 1;
  std::size_t gone = 0;  // number of `left` before the current time
  for (std::size_t i = 0; i < of.times.size();) {
    const double time = of.times[i];
    std::size_t end = i;
    while (end < of.times.size() && of.times[end] == time) ++end;
    while (gone < of.left.size() && of.left[gone] < time) ++gone;
    const auto at_risk = static_cast<double>(of.times.size() - i + of.left.size() - gone);
    share *= 1 - static_cast<double>(end - i) / at_risk;
    curve.times.push_back(time);
    curve.shares.push_back(share);
    i = end;
  }
  return curve;
}

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
    const auto number = [&](const char* what) { return file.number("event_" + names[i] + what); };
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
