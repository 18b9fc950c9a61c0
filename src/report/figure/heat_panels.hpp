#pragma once

#include "report/data/heat_map.hpp"
#include "report/figure/drawn_panel.hpp"

namespace kalaba {

/// Most cells a side that a picture shows, and one within a page.
inline constexpr std::size_t most_picture_cells = 1000;
inline constexpr std::size_t most_page_cells = 200;

/// A heat map in colours from the least to the greatest value, or where a few lie far out between the quantiles 0.5 and
/// 99.5 %, as it then says. Cells without a member are grey.
DrawnPanel heat_panel(HeatMap map);

/// Of `status`: a colour a status, over x and y; where cells hold several members the share that did not end ok.
DrawnPanel status_panel(const MemberColumn& x, const MemberColumn& y, const MemberColumn& status,
                        std::size_t most_cells);

/// Where the members are in the plane of two numbers, by how many they are. `when`: " at t = 3 s".
DrawnPanel density_panel(const HeatMap& counts, const std::string& when);

}  // namespace kalaba
