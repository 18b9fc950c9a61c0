#pragma once

#include <string>

#include "report/plot_data.hpp"

namespace kalaba {

/// Members that failed stay in a file as they last were. Makes what was read of them NaN from then on, as statistics
/// leave them out, and returns how many failed, in words: "" for none. A CSV file does not tell.
std::string leave_out_failed(const std::string& path, PlotData& data);

}  // namespace kalaba
