#pragma once

#include <string>
#include <vector>

#include "report/data/statistics.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// Palette of numbers, as gnuplot text.
inline constexpr const char* number_colors =
    "defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')";

/// Colours of the numbers of a range, without a scale.
std::string palette_text(const Range& range, const std::string& colors = number_colors);

struct ColorRange {
  Range range;
  std::string note = {};     ///< ", colours end at 0.5 and 99.5 %", or empty
  bool is_constant = false;  ///< all values are equal, and are the middle of the range
};

/// Colour scale above the heading, at the position of the key in other panels. A constant has one colour.
std::string color_scale(const PanelFrame& frame, const ColorRange& of);

/// Range from the minimum to the maximum, or between the quantiles 0.5 and 99.5 % if a few values are outliers.
ColorRange color_range(const std::vector<double>& values);

}  // namespace kalaba
