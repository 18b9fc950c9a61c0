#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/document/document.hpp"

namespace kalaba {

/// The number below which a share u in (0, 1) of a standard normal lies, to the last digits, in the tails too.
double normal_quantile(double u);

/// How the values of one variable are spread over the members.
struct Distribution {
  enum class Kind { constant, uniform, normal, log_uniform, discrete, values, linspace, file, correlated, formula };

  Kind kind = Kind::constant;
  /// constant: the value; uniform, log_uniform, linspace: the low end; normal, correlated: the mean
  double first = 0;
  double second = 0;                 ///< uniform, log_uniform, linspace: the high end; normal: the standard deviation
  long count = 1;                    ///< linspace: points
  std::vector<double> values = {};   ///< values, discrete: the points; file: one a member
  std::vector<double> weights = {};  ///< discrete: one a point; none: all the same
  bool is_truncated = false;         ///< normal: the members lie from `low` to `high`
  double low = 0;
  double high = 0;
  std::string path = {};    ///< file: absolute; "": of an array that the program gave
  std::string where = {};   ///< file: how a complaint of it begins
  std::string column = {};  ///< file; or the array's name
  std::string note = {};    ///< file: what to know of its numbers; "" where there is nothing

  std::string formula = {};  ///< of other variables; see member_formulas.hpp

  bool is_axis() const { return kind == Kind::values || kind == Kind::linspace; }
  bool is_drawn() const { return !is_axis() && kind != Kind::constant && kind != Kind::file && kind != Kind::formula; }
  /// Points of an axis, 1 for anything else.
  long points() const;
  /// The value of an axis at a point.
  double at_point(long point) const;
  /// A random value from two numbers u1, u2 of (0, 1), for the kinds that are drawn:
  ///     uniform      a + u1 (b - a)
  ///     normal       mean + sd sqrt(-2 ln u1) cos(2 pi u2)
  ///     log_uniform  exp(ln a + u1 (ln b - ln a))
  /// uniform is the same to the bit on every machine, the others to the last digit of its ln, cos and exp.
  double draw(double u1, double u2) const;
  /// The value below which a share u in (0, 1) of the members lies, for the kinds that are drawn: what designs that
  /// place u themselves use, and what a truncated normal and a discrete variable always use.
  double quantile(double u) const;
  /// As a scenario states it; nothing where it is stated elsewhere, of several variables together.
  std::string to_toml() const;
};

/// A number, a text that is an expression, or a table of one distribution. `variable` names the column of a file that
/// names none.
Distribution read_distribution(const Node& node, const std::string& variable, const GivenArrays& arrays = {});

}  // namespace kalaba
