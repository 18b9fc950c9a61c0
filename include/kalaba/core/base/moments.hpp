#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Statistics of a set of numbers. If the set is empty, only the count is defined.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;  ///< sum of squared deviations from the mean
  double least = 0;
  double greatest = 0;
};

/// Moments of the union of both sets (Chan, Golub and LeVeque 1979). Exchanging the two may change the last bit.
KALABA_FN Moments merged(const Moments& a, const Moments& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double count = a.count + b.count;
  const double share = b.count / count;
  const double apart = b.mean - a.mean;
  return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * (a.count * share),
          a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest};
}

// A leaf is the numbers of 4096 consecutive members, starting at a multiple of 4096; member i belongs to lane i % 64. A
// lane adds its members in their order, and the lanes are then added pairwise by halves until one is left, on the CPU
// and on a device alike: the result does not depend on blocks, threads or vector width.
//
// The lanes sum differences from the first number of the leaf that counts. As this number belongs to the set, the
// differences are at most sqrt(n) standard deviations away from their mean on average: the relative error of `squares`
// is below 70 eps (n + 1) < 7e-11 for any offset.
inline constexpr int leaf_members = 4096;
inline constexpr int leaf_lanes = 64;

/// Returns true if a number counts. Members that do not count pass NaN.
KALABA_FN bool is_counted(double value) { return abs(value) <= 1.7976931348623157e308; }

/// Adds a number's difference from the origin, and its square, to the sums of a lane.
KALABA_FN void add_difference(double difference, double& sum, double& squares) {
  sum += difference;
  squares = fma(difference, difference, squares);
}

/// Moments of a leaf from the sums of all its lanes: of value - origin and of its square.
KALABA_FN Moments leaf_moments(double count, double origin, double sum, double squares, double least, double greatest) {
  if (count == 0) return {};
  const double about_mean = squares - sum * sum / count;
  // Rounding can make it negative; NaN and infinity of numbers too large to square remain.
  return {count, origin + sum / count, about_mean < 0 ? 0 : about_mean, least, greatest};
}

}  // namespace kalaba
