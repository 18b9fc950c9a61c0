#pragma once

#include <string>

#include "kalaba/statistics.hpp"
#include "report/member_sample.hpp"

namespace kalaba {

/// An HTML table of every component at the last saved time: mean, standard deviation, extremes and quantiles. Those
/// that the file holds of all members, else of the sample; "" where there is neither.
std::string final_values(const MemberSample& members, const EnsembleStatistics& statistics);

}  // namespace kalaba
