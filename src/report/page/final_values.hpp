#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/data/member_sample.hpp"

namespace kalaba {

/// HTML table of every component at the last saved time: mean, standard deviation, minimum, maximum and quantiles, from
/// the file's statistics of all members if present, else from the sample; "" if there is neither.
std::string final_values(const MemberSample& members, const EnsembleStatistics& statistics);

/// Likewise for coordinates and rates at the first occurrence of each event, over the members to which it happened.
std::string event_values(const MemberSample& members);

}  // namespace kalaba
