#pragma once

#include <functional>
#include <string>

#include "report/figure/page.hpp"

namespace kalaba {

/// Panel with its own data, for pages and reports.
struct DrawnPanel {
  std::string words;                                   ///< description of its content, and of its members
  std::function<std::string(const PanelFrame&)> text;  ///< returns the gnuplot text; the page sets frame and style
};

}  // namespace kalaba
