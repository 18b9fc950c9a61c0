#pragma once

#include "report/data/heat_map.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// Maximum number of cells per axis of a picture, and of a picture in a page.
inline constexpr std::size_t most_picture_cells = 1000;
inline constexpr std::size_t most_page_cells = 200;

/// Heat map with colours from the minimum to the maximum, or between the quantiles 0.5 and 99.5 % if a few values are
/// outliers, which the panel then states. Cells without a member are grey.
DrawnPanel heat_panel(HeatMap map);

/// Map of `status` with one colour per status, over x and y; if cells hold several members, the share that did not end
/// ok.
DrawnPanel status_panel(const MemberColumn& x, const MemberColumn& y, const MemberColumn& status,
                        std::size_t most_cells);

/// Density of the members in the plane of two numbers: members per cell. `when`: " at t = 3 s".
DrawnPanel density_panel(const HeatMap& counts, const std::string& when);

}  // namespace kalaba
