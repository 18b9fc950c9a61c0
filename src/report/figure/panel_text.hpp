#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/base/reader.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// "x (kg m²)": a column's name with its unit.
std::string axis_label(const Column& column);
std::string axis_label(const std::string& name, const std::string& unit);

/// The text, or its two ends with "…" between them where it has more than `most` characters.
std::string shortened(const std::string& text, std::size_t most);

/// A panel's words, in smaller letters and shortened where they are long: its heading, and the names of its axes.
std::string labels_text(const std::string& heading, const std::string& x_label, const std::string& y_label);

/// `set xrange [low:high]` for the axis 'x' or 'y'; wider where gnuplot would read both as one number.
std::string range_text(char axis, const Range& range);

/// A log axis upwards for numbers that may be zero, which are to be drawn at `lowest`; the panel says so.
struct LogAxis {
  double lowest;
  std::string text;
};
/// `numbers`: at least one of them positive.
LogAxis log_axis(std::span<const double> numbers);

/// A gnuplot datablock under construction: `$name << END ... END`.
class DataBlock {
 public:
  explicit DataBlock(std::string_view name);
  void add_row(std::span<const double> numbers);
  void add_row(std::initializer_list<double> numbers) { add_row(std::span(numbers.begin(), numbers.size())); }
  void end_line() { text_ += "\n"; }  ///< what follows is not joined to what came before
  std::string text() const { return text_ + "END\n"; }

 private:
  std::string text_;
};

/// Says in the panel's middle why it is empty.
std::string empty_panel(const std::string& reason);
/// Of a log axis, where none of `numbers` is positive.
std::string empty_log_panel(std::span<const double> numbers);

}  // namespace kalaba
