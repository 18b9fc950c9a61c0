#pragma once

#include <string>

#include "report/data/sensitivity.hpp"

namespace kalaba {

/// The HTML table of the indices of Sobol', of every output first order and total of every input, shaded by their size;
/// "" where there is none.
std::string sobol_table(const Sensitivity& data);

/// As gnuplot text, its frame and style are set: of one output the inputs of the greatest totals, at most eight, first
/// order within total, with their intervals.
std::string sobol_panel(const Sensitivity& data, std::size_t output);
/// How many inputs that panel shows.
std::size_t sobol_bars(const Sensitivity& data);

}  // namespace kalaba
