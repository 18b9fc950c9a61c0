#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// A sorted sample of some members' numbers, for quantiles. For any x,
///
///   weight * (number of sample values <= x)  estimates  the number of members with values <= x;
///
/// the estimate is at most `below` too small and at most `above` too large.
struct Sample {
  long size = 0;      ///< numbers in the sample
  double count = 0;   ///< members that it represents
  double weight = 1;  ///< members that each number represents, a power of two
  double below = 0;
  double above = 0;
};

/// Every `step`-th number of a sorted list, starting at `offset`.
struct Thinning {
  long offset = 0;
  long step = 1;
  long size = 0;  ///< numbers that remain

  KALABA_FN long place(long i) const { return offset + i * step; }
};

/// Merge of two neighbouring samples: each is thinned, the two are merged, and the result is thinned.
struct SampleMerge {
  Thinning left;
  Thinning right;
  Thinning both;
  Sample result;
};

/// Keeps every step-th number of `size`, each representing as many times more members. A kept number is the middle one
/// of those that it represents, or, of two middle ones, the one that `parity` selects: it alternates, so that errors
/// cancel.
KALABA_FN Thinning thinned(Sample& sample, long size, long step, long parity) {
  const long offset = (step - 1 + parity) / 2;
  const long kept = size > offset ? (size - offset + step - 1) / step : 0;
  const auto width = static_cast<double>(step);
  sample.below += sample.weight * static_cast<double>(offset);
  sample.above += sample.weight * (width - 1 - static_cast<double>(offset));
  sample.weight *= width;
  sample.size = kept;
  return {offset, step, kept};
}

/// Merges two samples of at most `most` numbers into one of at most `most`. `index` is the position of the result among
/// the nodes of its level of the tree; the result depends on `index` and the two samples only. When pairs are merged
/// level after level, each of `levels` levels adds at most members / (2 most) to below + above, half of it to each.
KALABA_FN SampleMerge plan_merge(Sample left, Sample right, long most, long index) {
  if (left.size == 0) left.weight = right.weight;
  if (right.size == 0) right.weight = left.weight;
  const long parity = index & 1;
  const double weight = left.weight > right.weight ? left.weight : right.weight;
  SampleMerge plan;
  plan.left = {0, 1, left.size};
  plan.right = {0, 1, right.size};
  if (left.weight < weight) plan.left = thinned(left, left.size, static_cast<long>(weight / left.weight), parity);
  if (right.weight < weight) plan.right = thinned(right, right.size, static_cast<long>(weight / right.weight), parity);
  const long size = left.size + right.size;
  plan.both = {0, 1, size};
  plan.result = {size, left.count + right.count, weight, left.below + right.below, left.above + right.above};
  if (size > most) plan.both = thinned(plan.result, size, 2, parity);
  return plan;
}

/// Number `rank` of two merged, thinned sorted lists; of equal numbers, those of the left list come first.
KALABA_FN double merged_number(const double* left, const Thinning& lefts, const double* right, const Thinning& rights,
                               long rank) {
  // Number of left ones among the first `rank`, by bisection; the right list limits it from below.
  long taken = rank > rights.size ? rank - rights.size : 0;
  long most = rank < lefts.size ? rank : lefts.size;
  while (taken < most) {
    const long middle = (taken + most) / 2;
    const bool more = left[lefts.place(middle)] <= right[rights.place(rank - middle - 1)];
    taken = more ? middle + 1 : taken;
    most = more ? most : middle;
  }
  const long others = rank - taken;
  if (taken == lefts.size) return right[rights.place(others)];
  if (others == rights.size) return left[lefts.place(taken)];
  const double a = left[lefts.place(taken)];
  const double b = right[rights.place(others)];
  return a <= b ? a : b;
}

}  // namespace kalaba
