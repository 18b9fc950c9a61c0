#pragma once

#include <functional>
#include <string>

#include "report/figure/page.hpp"

namespace kalaba {

/// A panel with data of its own, as pages and reports place it.
struct DrawnPanel {
  std::string words;                                   ///< what it shows, and of which members or how many
  std::function<std::string(const PanelFrame&)> text;  ///< the gnuplot text; the frame and style are set
};

}  // namespace kalaba
