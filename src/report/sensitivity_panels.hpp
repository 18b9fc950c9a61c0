#pragma once

#include <string>

#include "report/sensitivity.hpp"

namespace kalaba {

// Each writes the gnuplot text of one panel; its frame and style are set.

inline constexpr std::size_t most_bars = 8;

/// Rank correlations of one output with the inputs, the strongest on top, at most `most_bars`.
std::string tornado_panel(const Sensitivity& data, std::size_t output);

/// An output over an input, a point a member, of at most 1,500 members.
std::string scatter_panel(const Sensitivity& data, std::size_t output, std::size_t input);

}  // namespace kalaba
