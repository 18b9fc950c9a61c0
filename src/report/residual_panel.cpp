#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/panel_text.hpp"
#include "report/panels.hpp"

namespace kalaba {
namespace {

constexpr double decades_shown = 1e20;  // below the largest error by this much, nothing is worth showing

/// [time]: median and largest of one column over the members.
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

/// Whole decades around the positive numbers; a decade of its own for zeros, which a log axis does not have.
Range log_range(const std::vector<double>& numbers) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (double number : numbers) {
    if (number > 0) least = std::min(least, number);
    if (number > 0) greatest = std::max(greatest, number);
  }
  least = std::max({least, greatest / decades_shown, 1e-300});
  const bool has_lower = std::ranges::any_of(numbers, [&](double number) { return number < least; });
  const double low = std::floor(std::log10(least)) - (has_lower ? 1 : 0);
  const double high = std::max(std::floor(std::log10(greatest)) + 1, low + 1);
  return {std::pow(10, low), std::pow(10, high)};
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
    return text + range_text('y', {0, 1}) + empty_panel("exactly zero throughout");
  }
  const Range range = log_range(all);
  const bool has_lower = std::ranges::any_of(all, [&](double number) { return number < range.low; });
  if (has_lower) {
    text += fmt::format(
        "set label 3 'zero is drawn on the lower edge' at graph 0.01, graph 0.04 left font ',11' "
        "textcolor rgb '{}'\n",
        color::soft_ink);
  }
  DataBlock block("$errors");
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    std::vector<double> row = {data.time(t)};
    for (const Errors& error : errors) {
      row.push_back(std::max(error.median[t], range.low));
      row.push_back(std::max(error.largest[t], range.low));
    }
    block.add_row(row);
  }
  return text + "set logscale y\nset format y '%.0e'\n" + range_text('y', range) + block.text() +
         plot_command(data, one_member);
}

}  // namespace kalaba
