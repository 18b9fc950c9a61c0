#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba::detail {

/// Values of an event's continuous expression at the ends of the equal parts of a step.
template <class X>
struct PartEnds {
  static constexpr int most_parts = KALABA_FOR_GPU ? 8 : 16;  ///< 16: Taylor series, which do not run on GPUs
  X values[most_parts + 1];

  KALABA_FN const X& operator[](int i) const { return values[i]; }
  KALABA_FN X& operator[](int i) { return values[i]; }
};

/// Difference between the largest and the smallest of them.
template <class X>
KALABA_FN X range_of(const PartEnds<X>& ends, int parts) {
  X least = ends[0];
  X most = ends[0];
  for (int i = 1; i <= parts; ++i) {
    least = min_of(least, ends[i]);
    most = max_of(most, ends[i]);
  }
  return most - least;
}

/// Weights of the polynomial of degree 4 through five equidistant values, at places within each interval between two
/// neighbouring values.
struct QuarticWeights {
  static constexpr int places = 7;  ///< at multiples of an eighth of the interval
  double of[4][places][5] = {};

  constexpr QuarticWeights() {
    for (int interval = 0; interval < 4; ++interval) {
      for (int place = 0; place < places; ++place) {
        const double x = interval + (place + 1.0) / (places + 1);
        for (int k = 0; k < 5; ++k) {
          double weight = 1;
          for (int j = 0; j < 5; ++j) weight *= j == k ? 1 : (x - j) / (k - j);
          of[interval][place][k] = weight;
        }
      }
    }
  }
};

/// The weights, once: a local constant that is indexed at run time would be copied to the stack at every use.
KALABA_DATA constexpr QuarticWeights quartic_weights;

/// First of the five ends whose polynomial is used in part i.
KALABA_FN constexpr int first_end(int i, int parts) { return i < 2 ? 0 : i + 3 > parts ? parts - 4 : i - 1; }

/// Value at a place of part i of the polynomial of degree 4 through the five ends from `first` on.
template <class X>
KALABA_FN X value_within(const PartEnds<X>& ends, int first, int i, int place) {
  X sum(0);
  for (int k = 0; k < 5; ++k) sum = fma(X(quartic_weights.of[i - first][place][k]), ends[first + k], sum);
  return sum;
}

/// Value of that polynomial at any place of part i, a fraction of it.
template <class X>
KALABA_FN X value_at(const PartEnds<X>& ends, int parts, int i, double fraction) {
  const int first = first_end(i, parts);
  const double x = i - first + fraction;
  X sum(0);
  for (int k = 0; k < 5; ++k) {
    double weight = 1;
    for (int j = 0; j < 5; ++j) weight *= j == k ? 1 : (x - j) / (k - j);
    sum = fma(X(weight), ends[first + k], sum);
  }
  return sum;
}

/// Least and largest value in a part: of its ends, and of the polynomial at places between them.
template <class X>
struct PartRange {
  X least, most;

  KALABA_FN static PartRange of(const PartEnds<X>& ends, int parts, int i) {
    PartRange range = {min_of(ends[i], ends[i + 1]), max_of(ends[i], ends[i + 1])};
    for (int place = 0; place < QuarticWeights::places; ++place) {
      const X value = value_within(ends, first_end(i, parts), i, place);
      range.least = min_of(range.least, value);
      range.most = max_of(range.most, value);
    }
    return range;
  }
};

}  // namespace kalaba::detail
