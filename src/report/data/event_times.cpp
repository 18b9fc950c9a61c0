#include "report/data/event_times.hpp"

#include <algorithm>
#include <cmath>

#include "report/data/member_numbers.hpp"

namespace kalaba {

std::vector<EventTimes> event_times(const MemberSample& members) {
  std::vector<EventTimes> all;
  const FileVariable* times = members.archive().inventory().find("event_time");
  if (times == nullptr || times->dimensions != std::vector<std::string>{"event", "member"}) return all;
  const std::vector<double>& saved = members.contents().times;
  for (const std::string& event : members.archive().texts("event")) {
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

}  // namespace kalaba
