#include <fmt/format.h>

#include <algorithm>

#include "report/figure/panel_text.hpp"
#include "report/figure/panels.hpp"

namespace kalaba {
namespace {

/// [time]: median and maximum of one column over the members.
struct Errors {
  std::vector<double> median;
  std::vector<double> largest;
};

Errors errors_of(const PlotData& data, std::size_t column) {
  constexpr std::array shares = {0.5, 1.0};
  Errors errors;
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    std::vector<double> finite = finite_values(data.row(column, t));
    const std::vector<double> both = quantiles(finite, shares);
    errors.median.push_back(both[0]);
    errors.largest.push_back(both[1]);
  }
  return errors;
}

std::string plot_command(const PlotData& data, bool one_member) {
  std::string text;
  for (std::size_t i = 0; i < data.errors.size(); ++i) {
    const Column& column = data.column(data.errors[i]);
    const char* hue = column.field == Field::violation ? color::line : color::second_line;
    text += fmt::format("{}$errors using 1:{} with lines lw 2 lc rgb '{}' title '{}'", i == 0 ? "plot " : ", ",
                        2 * i + 3, hue, column.name);
    if (one_member) continue;
    text += fmt::format(", $errors using 1:{} with lines lw 1.2 dt (6,4) lc rgb '{}' notitle", 2 * i + 2, hue);
  }
  return text + "\n";
}

}  // namespace

std::string residual_panel(const PlotData& data) {
  std::vector<Errors> errors;
  std::vector<double> all;
  std::string names;
  for (std::size_t column : data.errors) {
    errors.push_back(errors_of(data, column));
    all.insert(all.end(), errors.back().median.begin(), errors.back().median.end());
    all.insert(all.end(), errors.back().largest.begin(), errors.back().largest.end());
    names += (names.empty() ? "" : ", ") + data.column(column).name;
  }
  const bool one_member = data.members.size() == 1;
  const std::string heading = one_member ? "constraint errors" : "largest error (dashed: median)";
  std::string text = labels_text(heading, "time (s)", names + " (SI units)") +
                     range_text('x', {data.contents.times.front(), data.contents.times.back()});
  if (std::ranges::none_of(all, [](double number) { return number > 0; })) {
    return text + empty_log_panel(all);
  }
  const LogAxis axis = log_axis(all);
  DataBlock block("$errors");
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    std::vector<double> row = {data.time(t)};
    for (const Errors& error : errors) {
      row.push_back(std::max(error.median[t], axis.lowest));
      row.push_back(std::max(error.largest[t], axis.lowest));
    }
    block.add_row(row);
  }
  return text + axis.text + block.text() + plot_command(data, one_member);
}

}  // namespace kalaba
