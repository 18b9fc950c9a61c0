#pragma once

#include <string>

#include "report/figure/page.hpp"
#include "report/figure/plot_data.hpp"

namespace kalaba {

// Each writes the gnuplot text of one panel; the page has set its frame and style.

/// What the panels' colours stand for, as gnuplot `keyentry` terms.
std::vector<std::string> legend_of(const PlotData& data);

/// A variable over time: bands of quantiles around the median, or with few members every member's line.
std::string fan_panel(const PlotData& data, std::size_t variable);

/// Members in the plane of two variables; on equal scales where these have one unit.
std::string path_panel(const PlotData& data, const PlanePair& plane, const PanelFrame& frame);

/// Median and largest constraint violation and residual over time, on a log axis.
std::string residual_panel(const PlotData& data);

/// Median and largest change of a variable since the start, over time, on a log axis.
std::string drift_panel(const PlotData& data, std::size_t variable);

/// The axes, bars and median of finite values, which are rearranged; at least one.
std::string histogram_text(std::vector<double>& finite);

/// A variable at the last time.
std::string histogram_panel(const PlotData& data, std::size_t variable);

}  // namespace kalaba
