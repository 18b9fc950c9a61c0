#pragma once

#include <string>

#include "report/figure/plot_data.hpp"

namespace kalaba {

/// Sets the numbers of members to NaN at times at which they do not count, and stores the failure time of the swarm
/// `member` (0 for one swarm). Returns the number of members affected, as text; "" for none, and for CSV files, which
/// do not contain the status.
std::string leave_out_ended(const std::string& path, long member, PlotData& data);

}  // namespace kalaba
