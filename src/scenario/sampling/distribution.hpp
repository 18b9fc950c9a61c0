#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/document/document.hpp"

namespace kalaba {

/// Quantile of a standard normal for u in (0, 1), accurate to the last digits, including the tails.
double normal_quantile(double u);

/// Distribution of one variable over the members.
struct Distribution {
  enum class Kind { constant, uniform, normal, log_uniform, discrete, values, linspace, file, correlated, formula };

  Kind kind = Kind::constant;
  /// constant: the value; uniform, log_uniform, linspace: the low end; normal, correlated: the mean
  double first = 0;
  double second = 0;                 ///< uniform, log_uniform, linspace: the high end; normal: the standard deviation
  long count = 1;                    ///< linspace: points
  std::vector<double> values = {};   ///< values, discrete: the points; file: one per member
  std::vector<double> weights = {};  ///< discrete: one per point; empty: all equal
  bool is_truncated = false;         ///< normal: the members lie from `low` to `high`
  double low = 0;
  double high = 0;
  std::string path = {};    ///< file: absolute; "": an array that the program passed
  std::string where = {};   ///< file: beginning of an error message
  std::string column = {};  ///< file: column, or name of the array
  std::string note = {};    ///< file: remark on its numbers for the user; "": none
  bool is_state = false;    ///< file: final states of the members of an earlier run

  std::string formula = {};  ///< expression of other variables; see member_formulas.hpp

  bool is_axis() const { return kind == Kind::values || kind == Kind::linspace; }
  bool is_drawn() const { return !is_axis() && kind != Kind::constant && kind != Kind::file && kind != Kind::formula; }
  /// Number of points of an axis; 1 for other kinds.
  long points() const;
  /// Value of an axis at a point.
  double at_point(long point) const;
  /// Random value from two numbers u1, u2 in (0, 1), for the kinds that are drawn:
  ///     uniform      a + u1 (b - a)
  ///     normal       mean + sd sqrt(-2 ln u1) cos(2 pi u2)
  ///     log_uniform  exp(ln a + u1 (ln b - ln a))
  /// uniform is bitwise identical on every machine, the others up to the last digit of its ln, cos and exp.
  double draw(double u1, double u2) const;
  /// Quantile for u in (0, 1), for the kinds that are drawn: used by designs that place u themselves, and always by
  /// truncated normals and discrete variables.
  double quantile(double u) const;
  /// The distribution as TOML; "" for the kind correlated, which has a table of its own.
  std::string to_toml() const;
};

/// Reads a number, a text that is an expression, or a table of one distribution. `variable`: column of a file if the
/// table names none.
Distribution read_distribution(const Node& node, const std::string& variable, const GivenArrays& arrays = {});

}  // namespace kalaba
