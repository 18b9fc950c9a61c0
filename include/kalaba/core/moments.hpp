#pragma once

#include "kalaba/core/portable.hpp"

namespace kalaba {

/// What is kept of some numbers. Only the count means anything where there are none.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;  ///< sum of squared deviations from the mean
  double least = 0;
  double greatest = 0;
};

/// The moments of the numbers of both (Chan, Golub and LeVeque 1979). Swapping the two may change the last bit.
KALABA_FN Moments merged(const Moments& a, const Moments& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double count = a.count + b.count;
  const double share = b.count / count;
  const double apart = b.mean - a.mean;
  return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * (a.count * share),
          a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest};
}

// A leaf is the numbers of 4096 members that follow one another, from a multiple of 4096 on; member i belongs to lane
// i % 64. A lane adds up its members in their order, and halves of the lanes are then added until one is left, here and
// on a device alike: what comes out depends on neither blocks, threads nor vector width.
//
// Sums are taken of differences from the first number of the leaf that counts. That number is one of those whose spread
// is sought, so the differences are at most sqrt(n) standard deviations away from their mean on average: the relative
// error of `squares` is below 70 eps (n + 1) < 7e-11 for any offset.
inline constexpr int leaf_members = 4096;
inline constexpr int leaf_lanes = 64;

/// Whether a number counts. A member that is not to count passes NaN.
KALABA_FN bool is_counted(double value) { return abs(value) <= 1.7976931348623157e308; }

/// Adds a number's difference from the origin, and its square, to the sums of a lane.
KALABA_FN void add_difference(double difference, double& sum, double& squares) {
  sum += difference;
  squares = fma(difference, difference, squares);
}

/// The moments of a leaf from the sums of all its lanes: of value - origin and of its square.
KALABA_FN Moments leaf_moments(double count, double origin, double sum, double squares, double least, double greatest) {
  if (count == 0) return {};
  const double about_mean = squares - sum * sum / count;
  // Rounding can leave less than nothing; NaN and infinity of numbers too large to square stay.
  return {count, origin + sum / count, about_mean < 0 ? 0 : about_mean, least, greatest};
}

}  // namespace kalaba
