#include "formula/graph/table.hpp"

#include <utility>

#include "kalaba/core/base/table.hpp"

namespace kalaba::formula {
namespace {

/// The second derivatives of the natural cubic spline, zero at both ends: its tridiagonal equations by elimination.
std::vector<double> curvatures(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> result(n, 0.0);
  std::vector<double> above(n, 0.0);  // entries beside the diagonal after elimination
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = x[i] - x[i - 1];
    const double behind = x[i + 1] - x[i];
    const double bend = 6 * ((y[i + 1] - y[i]) / behind - (y[i] - y[i - 1]) / before);
    const double diagonal = 2 * (before + behind) - before * above[i - 1];
    above[i] = behind / diagonal;
    result[i] = (bend - before * result[i - 1]) / diagonal;
  }
  for (std::size_t i = n - 1; i-- > 1;) result[i] -= above[i] * result[i + 1];
  return result;
}

}  // namespace

Table::Table(std::string name, Interpolation between, const std::vector<double>& x, const std::vector<double>& y)
    : name_(std::move(name)), between_(between) {
  const bool is_cubic = between == Interpolation::cubic;
  const std::vector<double> bent = is_cubic ? curvatures(x, y) : std::vector<double>(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_last = i + 1 == x.size();
    const double h = is_last ? 1 : x[i + 1] - x[i];
    const double rise = is_last ? 0 : (y[i + 1] - y[i]) / h;
    const double next = is_last ? 0 : bent[i + 1];
    rows_.insert(rows_.end(), {x[i], y[i], rise - h * (2 * bent[i] + next) / 6});
    if (is_cubic) rows_.insert(rows_.end(), {bent[i] / 2, (next - bent[i]) / (6 * h)});
  }
}

double Table::operator()(int order, double x) const {
  return between_ == Interpolation::linear ? table_value<1>(rows_.data(), count(), order, x)
                                           : table_value<3>(rows_.data(), count(), order, x);
}

}  // namespace kalaba::formula
