#pragma once

#include <utility>
#include <vector>

#include "report/data/event_times.hpp"
#include "report/figure/drawn_panel.hpp"

namespace kalaba {

/// When the event happened first: a histogram, of the members to which it happened.
DrawnPanel event_histogram(const EventTimes& of);

/// The share of members to which it has not happened yet, over time. `span`: of the run, s.
DrawnPanel survival_panel(const EventTimes& of, std::pair<double, double> span);

/// Both; `times`: the saved ones, of which the span is.
std::vector<DrawnPanel> event_panels(const EventTimes& of, const std::vector<double>& times);

}  // namespace kalaba
