#pragma once

#include <string>

#include "report/figure/page.hpp"
#include "report/figure/plot_data.hpp"

namespace kalaba {

// Each function returns the gnuplot text of one panel; the page sets its frame and style.

/// Legend of the panels' colours, as gnuplot `keyentry` terms.
std::vector<std::string> legend_of(const PlotData& data);

/// A variable over time: bands of quantiles around the median, or one line per member if there are few.
std::string fan_panel(const PlotData& data, std::size_t variable);

/// Paths of members in the plane of two variables; on equal scales if these have the same unit.
std::string path_panel(const PlotData& data, const PlanePair& plane, const PanelFrame& frame);

/// Median and largest constraint violation and residual over time, on a log axis.
std::string residual_panel(const PlotData& data);

/// Median and largest change of a variable since the start, over time, on a log axis.
std::string drift_panel(const PlotData& data, std::size_t variable);

/// Axes, bars and median of finite values, at least one; the values are rearranged.
std::string histogram_text(std::vector<double>& finite);

/// Histogram of a variable at the last time.
std::string histogram_panel(const PlotData& data, std::size_t variable);

}  // namespace kalaba
