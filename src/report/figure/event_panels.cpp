#include "report/figure/event_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/figure/panel_text.hpp"
#include "report/figure/panels.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_steps = 2000;

std::string counted(const EventTimes& of) {
  return fmt::format("{} of {} members", grouped(static_cast<long>(of.times.size())), grouped(of.members()));
}

}  // namespace

DrawnPanel event_histogram(const EventTimes& of) {
  return {fmt::format("When {} happened first: {}", of.event, counted(of)), [of](const PanelFrame&) {
            std::vector<double> times = of.times;
            const std::string labels = labels_text("first time of " + of.event, "time (s)", "members (%)");
            if (times.empty())
              return labels + range_text('x', {}) + range_text('y', {}) + empty_panel("it never happened");
            return labels + histogram_text(times);
          }};
}

DrawnPanel survival_panel(const EventTimes& of, std::pair<double, double> span) {
  const std::string words = fmt::format(
      "Members to which {} has not happened yet (Kaplan–Meier, {}); those that failed or that another event "
      "stopped count until then",
      of.event, counted(of));
  return {words, [of, span](const PanelFrame&) {
            const Survival curve = survival(of);
            DataBlock block("$survival");
            block.add_row({span.first, 100});
            const std::size_t step = std::max<std::size_t>(curve.times.size() / most_steps, 1);
            for (std::size_t i = 0; i < curve.times.size(); i += step) {
              block.add_row({curve.times[i], 100 * curve.shares[i]});
            }
            const double last = curve.shares.empty() ? 1 : curve.shares.back();
            if (!curve.times.empty()) block.add_row({curve.times.back(), 100 * last});
            block.add_row({std::max(span.second, curve.times.empty() ? span.first : curve.times.back()), 100 * last});
            return labels_text("without " + of.event + " yet", "time (s)", "members (%)") +
                   range_text('x', {span.first, span.second}) + range_text('y', {0, 104}) + block.text() +
                   fmt::format("plot $survival using 1:2 with steps lw 2 lc rgb '{}' notitle\n", color::line);
          }};
}

std::vector<DrawnPanel> event_panels(const EventTimes& of, const std::vector<double>& times) {
  const double last = of.times.empty() ? 1 : of.times.back();
  return {event_histogram(of),
          survival_panel(of, times.size() > 1 ? std::pair(times.front(), times.back()) : std::pair(0.0, last))};
}

}  // namespace kalaba
