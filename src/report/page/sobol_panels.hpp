#pragma once

#include <string>

#include "report/data/sensitivity.hpp"

namespace kalaba {

/// HTML table of Sobol' indices, first-order and total for every output and input, shaded by magnitude; "" without
/// data.
std::string sobol_table(const Sensitivity& data);

/// gnuplot text of one output, whose frame and style the page sets: at most eight inputs with the largest total
/// indices, with first-order within total indices, and their confidence intervals.
std::string sobol_panel(const Sensitivity& data, std::size_t output);
/// Number of inputs in that panel.
std::size_t sobol_bars(const Sensitivity& data);

}  // namespace kalaba
