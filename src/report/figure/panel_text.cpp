#include "report/figure/panel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/figure/gnuplot.hpp"
#include "report/figure/page.hpp"

namespace kalaba {
namespace {

std::string with_superscripts(std::string unit) {
  constexpr std::array<std::array<const char*, 2>, 3> powers = {{{"^2", "²"}, {"^3", "³"}, {"^4", "⁴"}}};
  for (const auto& [plain, pretty] : powers) {
    for (std::size_t at; (at = unit.find(plain)) != std::string::npos;) unit.replace(at, 2, pretty);
  }
  return unit;
}

/// Offsets of the characters in a UTF-8 text.
std::vector<std::size_t> character_starts(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) starts.push_back(i);
  }
  return starts;
}

/// Font size of a text: the default if it has at most `fitting` characters, else smaller.
int letters(const std::string& text, std::size_t fitting) {
  constexpr int usual = 13;
  constexpr int least = 10;
  const std::size_t length = character_starts(text).size();
  if (length <= fitting) return usual;
  return std::max(least, static_cast<int>(usual * fitting / length));
}

/// Step of the numbers along the axis x at which they do not touch in the narrowest panel; empty where those of gnuplot
/// do not.
std::string spaced_numbers(const Range& range) {
  constexpr double narrowest = 397;  // pixels, of three panels in a row
  constexpr double letter = 9.5;
  constexpr double space = 10;
  constexpr std::array steps = {0.2, 0.5, 1.0, 2.0, 5.0};
  const double width = range.high - range.low;
  if (!(width > 0 && std::isfinite(width))) return "";
  const double power = std::pow(10, std::floor(std::log10(width)));
  const std::size_t usual = width < 2 * power ? 0 : width < 5 * power ? 1 : 2;  // of gnuplot
  for (std::size_t i = usual; i < steps.size(); ++i) {
    const double step = steps[i] * power;
    std::size_t longest = 0;
    const double first = std::ceil(range.low / step);
    for (int k = 0; k * step <= width; ++k) {
      longest = std::max(longest, fmt::format("{:.6g}", (first + k) * step).size());
    }
    if (letter * static_cast<double>(longest) + space > narrowest * step / width) continue;
    return i == usual ? "" : fmt::format("set xtics {}\n", gnuplot_number(step));
  }
  return "";
}

constexpr double decades_shown = 1e20;  // range below the largest error that is shown

/// Range of whole decades around the positive numbers; with zeros, which a log axis cannot show, an additional decade.
Range log_range(std::span<const double> numbers) {
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

}  // namespace

std::string axis_label(const Column& column) {
  const bool plain = column.unit.empty() || column.unit == "1";
  return plain ? column.name : fmt::format("{} ({})", column.name, with_superscripts(column.unit));
}

std::string axis_label(const std::string& name, const std::string& unit) {
  return axis_label(Column{name, unit, Field::q, 0});
}

std::string shortened(const std::string& text, std::size_t most) {
  const std::vector<std::size_t> starts = character_starts(text);
  if (starts.size() <= most) return text;
  const std::size_t front = most / 2;
  const std::size_t back = most - 1 - front;
  return text.substr(0, starts[front]) + "…" + text.substr(starts[starts.size() - back]);
}

std::string labels_text(const std::string& heading, const std::string& x_label, const std::string& y_label) {
  return fmt::format(
      "set label 1 {} at graph 0, graph 1 left offset 0,1.2 font 'DejaVu Sans Bold,{}' textcolor rgb '{}' noenhanced\n"
      "set xlabel {} font ',{}' textcolor rgb '{}' noenhanced\nset ylabel {} font ',{}' textcolor rgb '{}' "
      "noenhanced\n",
      quoted(shortened(heading, 56)), letters(heading, 42), color::ink, quoted(shortened(x_label, 60)),
      letters(x_label, 42), color::ink, quoted(shortened(y_label, 34)), letters(y_label, 26), color::ink);
}

std::string range_text(char axis, const Range& range) {
  const bool is_empty = gnuplot_number(range.low) == gnuplot_number(range.high);
  const auto [low, high] = is_empty ? axis_range(std::array{range.low, range.high}) : range;
  const std::string text = fmt::format("set {}range [{}:{}]\n", axis, gnuplot_number(low), gnuplot_number(high));
  return axis == 'x' ? text + spaced_numbers({low, high}) : text;
}

LogAxis log_axis(std::span<const double> numbers) {
  const Range range = log_range(numbers);
  std::string text;
  if (std::ranges::any_of(numbers, [&](double number) { return number < range.low; })) {
    text = fmt::format(
        "set label 3 'zero is drawn on the lower edge' at graph 0.01, graph 0.04 left font ',11' "
        "textcolor rgb '{}'\n",
        color::soft_ink);
  }
  return {range.low, text + "set logscale y\nset format y '%.0e'\n" + range_text('y', range)};
}

DataBlock::DataBlock(std::string_view name, bool is_held)
    : text_(fmt::format("{} << END\n", name)), is_held_(is_held) {}

void DataBlock::add_row(std::span<const double> numbers) {
  if (is_held_) {
    if (!last_.empty()) {
      last_.front() = numbers.front();
      for (std::size_t i = 1; i < last_.size(); ++i) {
        if (std::isnan(numbers[i])) last_[i] = numbers[i];  // it ended between these rows
      }
      write(last_);
    }
    last_.assign(numbers.begin(), numbers.end());
  }
  write(numbers);
}

void DataBlock::write(std::span<const double> numbers) {
  for (double number : numbers) text_ += gnuplot_number(number) + " ";
  text_ += '\n';
}

std::string empty_panel(const std::string& reason) {
  return fmt::format("set label 2 {} at graph 0.5, graph 0.5 center textcolor rgb '{}' noenhanced\nplot 1/0 notitle\n",
                     quoted(reason), color::soft_ink);
}

std::string empty_log_panel(std::span<const double> numbers) {
  const bool is_zero = std::ranges::any_of(numbers, [](double number) { return number == 0; });
  return range_text('y', {0, 1}) + empty_panel(is_zero ? "exactly zero throughout" : "no member at this time");
}

}  // namespace kalaba
