#pragma once

#include <string>

#include "report/plot_data.hpp"

namespace kalaba {

/// Members that failed stay in a file as they last were. Makes what was read of them NaN after that, as statistics
/// leave them out, and notes when the swarm of `member` failed (of one swarm that is 0). Returns how many failed, in
/// words: "" for none. A CSV file does not tell.
std::string leave_out_failed(const std::string& path, long member, PlotData& data);

}  // namespace kalaba
