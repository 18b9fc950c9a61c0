#include "report/figure/statistics_panel.hpp"

#include <fmt/format.h>

#include <limits>

#include "report/figure/page.hpp"
#include "report/figure/panel_text.hpp"

namespace kalaba {
namespace {

/// Band at one saved time.
struct Band {
  double low = std::numeric_limits<double>::quiet_NaN();
  double middle = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

Band band_at(const EnsembleStatistics& statistics, const FieldStatistics& field, std::size_t place) {
  Band band;
  if (!field.mean.empty()) band.middle = field.mean[place];
  if (!field.quantiles.empty()) {
    const std::size_t size = field.count.size();
    band.low = field.quantiles[place];
    band.high = field.quantiles[(statistics.quantiles.size() - 1) * size + place];
    if (field.mean.empty()) band.middle = field.quantiles[statistics.quantiles.size() / 2 * size + place];
  } else if (!field.min.empty() && !field.max.empty()) {
    band.low = field.min[place];
    band.high = field.max[place];
  } else if (!field.mean.empty() && !field.std.empty()) {
    band.low = field.mean[place] - field.std[place];
    band.high = field.mean[place] + field.std[place];
  }
  return band;
}

std::string band_title(const EnsembleStatistics& statistics, const FieldStatistics& field) {
  if (!field.quantiles.empty()) {
    return fmt::format("{:.3g}–{:.3g} %", 100 * statistics.quantiles.front(), 100 * statistics.quantiles.back());
  }
  return !field.min.empty() && !field.max.empty() ? "least to greatest" : "± standard deviation";
}

}  // namespace

std::string statistics_panel(const EnsembleStatistics& statistics, const FieldStatistics& field,
                             const ShownComponent& shown) {
  DataBlock block("$band", shown.column.is_held);
  std::vector<double> numbers;
  for (std::size_t time = 0; time < statistics.times.size(); ++time) {
    const Band band = band_at(statistics, field, time * field.layout.size() + shown.place);
    block.add_row({statistics.times[time], band.low, band.middle, band.high});
    numbers.insert(numbers.end(), {band.low, band.middle, band.high});
  }
  return labels_text(shown.column.name, "time (s)", axis_label(shown.column)) +
         range_text('x', {statistics.times.front(), statistics.times.back()}) + range_text('y', axis_range(numbers)) +
         block.text() +
         fmt::format(
             "plot $band using 1:2:4 with filledcurves fs solid noborder fc rgb '{}' title '{}', "
             "$band using 1:3 with lines lw 2 lc rgb '{}' title '{}'\n",
             color::wide_band, band_title(statistics, field), color::line, field.mean.empty() ? "median" : "mean");
}

}  // namespace kalaba
