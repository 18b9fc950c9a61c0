#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/base/reader.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// Column name with its unit: "x (kg m²)".
std::string axis_label(const Column& column);
std::string axis_label(const std::string& name, const std::string& unit);

/// The text, or its beginning and end with "…" in between if it has more than `most` characters.
std::string shortened(const std::string& text, std::size_t most);

/// Heading and axis labels of a panel; long ones are shortened and in a smaller font.
std::string labels_text(const std::string& heading, const std::string& x_label, const std::string& y_label);

/// `set xrange [low:high]` for the axis 'x' or 'y'; wider if both bounds would be the same number in gnuplot's text.
std::string range_text(char axis, const Range& range);

/// Vertical log axis for numbers that may be zero, which are drawn at `lowest`; the panel states this.
struct LogAxis {
  double lowest;
  std::string text;
};
/// Axis for `numbers`, at least one of which must be positive.
LogAxis log_axis(std::span<const double> numbers);

/// gnuplot datablock under construction: `$name << END ... END`.
class DataBlock {
 public:
  /// `is_held`: the numbers behind the first hold until the next row's first.
  explicit DataBlock(std::string_view name, bool is_held = false);
  void add_row(std::span<const double> numbers);
  void add_row(std::initializer_list<double> numbers) { add_row(std::span(numbers.begin(), numbers.size())); }
  void end_line() { text_ += "\n"; }  ///< ends a line, so that the next point is not joined to the last
  std::string text() const { return text_ + "END\n"; }

 private:
  void write(std::span<const double> numbers);

  std::string text_;
  bool is_held_;
  std::vector<double> last_;  // row, if numbers hold
};

/// Panel that shows the reason why it is empty in its centre.
std::string empty_panel(const std::string& reason);
/// Panel of a log axis if none of `numbers` is positive.
std::string empty_log_panel(std::span<const double> numbers);

}  // namespace kalaba
