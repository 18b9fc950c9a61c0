#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/data/member_sample.hpp"

namespace kalaba {

/// An HTML table of every component at the last saved time: mean, standard deviation, extremes and quantiles. Those
/// that the file holds of all members, else of the sample; "" where there is neither.
std::string final_values(const MemberSample& members, const EnsembleStatistics& statistics);

/// Likewise of coordinates and rates when each event happened first, over the members to which it did.
std::string event_values(const MemberSample& members);

}  // namespace kalaba
