#pragma once

#include <vector>

#include "report/data/member_sample.hpp"

namespace kalaba {

/// When an event happened first, over the members.
struct EventTimes {
  std::string event;
  std::vector<double> times;  ///< s, ascending: of those to which it happened
  std::vector<double> left;   ///< s, ascending: when the others were last seen (end of the run, failed, stopped)
  long members() const { return static_cast<long>(times.size() + left.size()); }
};

/// Of every event of the file; none where it has none.
std::vector<EventTimes> event_times(const MemberSample& members);

/// The share of members to which the event has not happened, by Kaplan and Meier: a step down at each of these times.
struct Survival {
  std::vector<double> times;   ///< s, ascending, none twice
  std::vector<double> shares;  ///< from each of them on; 1 before
};
Survival survival(const EventTimes& of);

}  // namespace kalaba
