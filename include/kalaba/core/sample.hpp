#pragma once

#include "kalaba/core/portable.hpp"

namespace kalaba {

/// A sorted sample of some members' numbers, from which quantiles are read. For any x, the sample says
///
///     weight * (its numbers <= x),    the truth is    the members with numbers <= x,
///
/// and it says at most `below` too few and at most `above` too many.
struct Sample {
  long size = 0;      ///< numbers in the sample
  double count = 0;   ///< members it stands for
  double weight = 1;  ///< members each number stands for, a power of two
  double below = 0;
  double above = 0;
};

/// Every `step`-th number of a sorted list, from `offset` on.
struct Thinning {
  long offset = 0;
  long step = 1;
  long size = 0;  ///< numbers that remain

  KALABA_FN long place(long i) const { return offset + i * step; }
};

/// How two neighbouring samples become one: each is thinned, the two are merged, and the merged is thinned.
struct SampleMerge {
  Thinning left;
  Thinning right;
  Thinning both;
  Sample result;
};

/// Keeps every step-th number of `size`, each standing for as many times more members. The numbers kept are in the
/// middle of those they stand for, or, of two middle ones, what `parity` says: it alternates, so that errors cancel.
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

/// Two samples of at most `most` numbers make one of at most `most`. `index` is the place of the result among the nodes
/// of its level of the tree; what comes out depends on that and the two samples alone. Merging pairs of level after
/// level, each of `levels` levels adds at most members / (2 most) to below + above, half of it to each.
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

/// Number `rank` of what is left of two sorted lists, merged; of equal ones, those of the left come first.
KALABA_FN double merged_number(const double* left, const Thinning& lefts, const double* right, const Thinning& rights,
                               long rank) {
  // How many of the first `rank` are left ones: no fewer than there are too few right ones, found by bisection.
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
