#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Index of the last row, except the final one, whose place is at most x; 0 if there is none. Searched in strides that
/// double, from the row at the fraction `part` of the table, and then by bisection.
KALABA_FN int row_below(const double* rows, int count, int width, double part, double x) {
  const int last = count - 1;
  const int guess = static_cast<int>(part * last);
  int low = guess < 0 ? 0 : (guess < last ? guess : last - 1);
  int high = low + 1;
  for (int stride = 1; low > 0 && x < rows[low * width]; stride *= 2) {
    high = low;
    low = low > stride ? low - stride : 0;
  }
  for (int stride = 1; high < last && rows[high * width] <= x; stride *= 2) {
    low = high;
    high = last - high > stride ? high + stride : last;
  }
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (rows[middle * width] <= x ? low : high) = middle;
  }
  return low;
}

/// Distance from the ends of a table up to which it is defined at x.
KALABA_FN double table_margin(double first, double last, double x, double epsilon) {
  return 1e-9 * (last - first) + epsilon * (x < 0 ? -x : x);
}

/// Piecewise polynomial of one variable, given at ascending places: a row is a place and the polynomial from there to
/// the next place,
///
///   f(x) = c_0 + c_1 d + ... + c_Degree d^Degree,   d = x - place,   rows[Rows][1 + Degree + 1]: place, c_0, c_1, ...
///
/// Only the place of the last row is used. The function is undefined outside the places, except for a margin for
/// rounding: a billionth of their span, plus `epsilon` |x|.
///
/// Returns its derivative of the given order at x, NaN where it is undefined; in double precision.
template <int Degree>
KALABA_FN double table_value(const double* rows, int count, int order, double x, double epsilon = 0) {
  constexpr int width = Degree + 2;
  const double first = rows[0];
  const double last = rows[(count - 1) * width];
  const double margin = table_margin(first, last, x, epsilon);
  if (!(first - margin <= x && x <= last + margin)) {
    const double zero = last - last;
    return zero / zero;
  }
  const double* const row = rows + row_below(rows, count, width, (x - first) / (last - first), x) * width;
  const double d = x - row[0];
  double value = 0;
  for (int power = Degree; power >= order; --power) {
    double factor = 1;  // power! / (power - order)!
    for (int i = 0; i < order; ++i) factor *= power - i;
    value = value * d + factor * row[1 + power];
  }
  return value;
}

/// Relative rounding of the places of a table in the precision of a Real.
template <class X>
KALABA_FN constexpr double table_epsilon() {
  return 4 * static_cast<double>(Limits<Scalar<X>>::epsilon);
}

/// The lower or upper end of the piece of a table that contains x, in each lane; those of the first and the last piece
/// include the margin. x where the table is undefined.
template <int Degree, class X>
KALABA_FN X piece_end(const double* rows, int count, bool upper, const X& x) {
  const auto end_at = [=](double place) {
    constexpr int width = Degree + 2;
    const double first = rows[0];
    const double last = rows[(count - 1) * width];
    const double margin = table_margin(first, last, place, table_epsilon<X>());
    if (!(first - margin <= place && place <= last + margin)) return place;
    const int row = row_below(rows, count, width, (place - first) / (last - first), place);
    if (upper) return row + 2 == count ? last + margin : rows[(row + 1) * width];
    return row == 0 ? first - margin : rows[row * width];
  };
  if constexpr (requires { x.value; }) {
    return X(piece_end<Degree>(rows, count, upper, x.value));
  } else if constexpr (requires { map_lanes(x, end_at); }) {
    return map_lanes(x, end_at);
  } else {
    return static_cast<X>(end_at(static_cast<double>(x)));
  }
}

/// table_value for any Real, in each lane separately, and for dual numbers of a Real.
template <int Degree, class X>
KALABA_FN X table_at(const double* rows, int count, int order, const X& x) {
  if constexpr (requires { x.value; }) {
    const auto of = [&](int further) { return table_at<Degree>(rows, count, order + further, x.value); };
    return X::chain(x, of(0), of(1), of(2));
  } else {
    const auto value_at = [=](double place) {
      return table_value<Degree>(rows, count, order, place, table_epsilon<X>());
    };
    if constexpr (requires { map_lanes(x, value_at); }) {
      return map_lanes(x, value_at);
    } else {
      return static_cast<X>(value_at(static_cast<double>(x)));
    }
  }
}

}  // namespace kalaba
