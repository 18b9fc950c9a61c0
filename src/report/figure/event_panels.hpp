#pragma once

#include <utility>
#include <vector>

#include "report/data/event_times.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// Histogram of the times of the first occurrence, of the members to which it happened.
DrawnPanel event_histogram(const EventTimes& of);

/// Share of members to which the event has not yet happened, over time. `span`: start and end of the run, s.
DrawnPanel survival_panel(const EventTimes& of, std::pair<double, double> span);

/// Both panels; `times`: saved times, which define the span.
std::vector<DrawnPanel> event_panels(const EventTimes& of, const std::vector<double>& times);

}  // namespace kalaba
