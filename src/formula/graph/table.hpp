#pragma once

#include <memory>
#include <string>
#include <vector>

namespace kalaba::formula {

enum class Interpolation { linear, cubic };

/// A function of one number from its values at ascending places: linear between them, or the natural cubic spline,
/// whose slope and curvature are continuous. It has no value beside them.
class Table {
 public:
  /// Two places at least.
  Table(std::string name, Interpolation between, const std::vector<double>& places, const std::vector<double>& values);

  const std::string& name() const { return name_; }
  int degree() const { return between_ == Interpolation::linear ? 1 : 3; }
  int count() const { return static_cast<int>(rows_.size()) / width(); }
  /// Rows of a place and the coefficients of the polynomial from there on (kalaba/core/base/table.hpp).
  const std::vector<double>& rows() const { return rows_; }
  int width() const { return degree() + 2; }
  /// Its derivative of that order, 0 ... degree, at x; NaN beside the places.
  double operator()(int order, double x) const;

  bool operator==(const Table&) const = default;

 private:
  std::string name_;
  Interpolation between_;
  std::vector<double> rows_;
};

using Tables = std::vector<std::shared_ptr<const Table>>;

/// A table and the order of a derivative of it, as one number: Node::index.
struct TableUse {
  static constexpr int orders = 4;

  int table;
  int order;

  static TableUse of(int index) { return {index / orders, index % orders}; }
  int index() const { return table * orders + order; }
};

}  // namespace kalaba::formula
