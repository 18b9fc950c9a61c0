#pragma once

#include <string>
#include <vector>

#include "report/data/sensitivity.hpp"

namespace kalaba {

// Each writes the gnuplot text of one panel; its frame and style are set.

inline constexpr std::size_t most_bars = 8;

/// The inputs of which the design shows that the output goes with them, strongest first; none where it is no more than
/// chance, or rounding.
std::vector<std::size_t> bars_of(const Sensitivity& data, std::size_t output);

/// "rises", "falls" or "both ways": how an output goes with an input that were varied together.
const char* direction_of(const Sensitivity& data, std::size_t output, std::size_t input);

/// Sets the names of bars, the first on top, left of the frame's axis, which the panel moves to make room.
std::string bar_names(const std::vector<std::string>& names);

/// The bars of one output, at most `most_bars`: shares of its variance, or of one at a time its changes.
std::string tornado_panel(const Sensitivity& data, std::size_t output);

/// An output over an input, a point a member, of at most 1,500 members; of one at a time the line of those members that
/// vary the input.
std::string scatter_panel(const Sensitivity& data, std::size_t output, std::size_t input);

}  // namespace kalaba
