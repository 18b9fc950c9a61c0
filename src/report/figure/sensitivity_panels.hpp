#pragma once

#include <string>
#include <vector>

#include "report/data/sensitivity.hpp"

namespace kalaba {

// Each function returns the gnuplot text of one panel; the page sets its frame and style.

/// Inputs with a significant effect on the output, strongest first; empty if all effects are within chance or rounding.
std::vector<std::size_t> bars_of(const Sensitivity& data, std::size_t output);

/// Sign of the dependence for inputs varied together: "rises", "falls" or "both ways".
const char* direction_of(const Sensitivity& data, std::size_t output, std::size_t input);

/// Bars of one output, at most eight: shares of its variance, or its changes for a one-at-a-time design.
std::string tornado_panel(const Sensitivity& data, std::size_t output);

/// An output over an input, with one point per member, for at most 1,500 members; for a one-at-a-time design the line
/// of the members that vary the input.
std::string scatter_panel(const Sensitivity& data, std::size_t output, std::size_t input);
/// gnuplot text of one output, whose frame and style the page sets: at most eight inputs with the largest total
/// indices, with first-order within total indices, and their confidence intervals.
std::string sobol_panel(const Sensitivity& data, std::size_t output);
/// Number of inputs in that panel.
std::size_t sobol_bars(const Sensitivity& data);

}  // namespace kalaba
