#pragma once

#include <string>

#include "report/figure/plot_data.hpp"

namespace kalaba {

/// Makes what was read of members NaN where they do not count, and notes when the swarm of `member` failed (of one
/// swarm that is 0). Returns how many were left out, in words: "" for none. A CSV file does not tell.
std::string leave_out_ended(const std::string& path, long member, PlotData& data);

}  // namespace kalaba
