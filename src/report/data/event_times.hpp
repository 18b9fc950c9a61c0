#pragma once

#include <vector>

#include <string>
#include "output/netcdf/archive.hpp"
#include "report/data/member_sample.hpp"

namespace kalaba {

/// Times of the first occurrence of an event, over the members.
struct EventTimes {
  std::string event;
  std::vector<double> times;  ///< s, ascending: first occurrences
  std::vector<double> left;   ///< s, ascending: end of observation of the others (end, failed, stopped)
  long members() const { return static_cast<long>(times.size() + left.size()); }
};

/// Times of every event of the file; empty if it has no events.
std::vector<EventTimes> event_times(const MemberSample& members);

/// Kaplan-Meier estimate of the share of members to which the event has not happened: it decreases at each of these
/// times.
struct Survival {
  std::vector<double> times;   ///< s, strictly ascending
  std::vector<double> shares;  ///< from the time on; 1 before the first
};
Survival survival(const EventTimes& of);

/// One row per event of a file: name, expression, members and crossings, range of the first times. Empty if the file
/// has no events.
std::vector<std::vector<std::string>> event_rows(const Archive& archive);

}  // namespace kalaba
