#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// A position within a step, or after it.
template <class X>
struct PlaceInStep {
  MaskOf<X> inside;
  X along;  ///< fraction of the step, 1 after it
  X left;   ///< 1 - along
  X length;
};

/// Value, at a position in a step, of the cubic with these values and slopes at the ends of the step. `bulge` is added
/// to its second difference: the value changes by along^2 left^2 bulge.
template <class X>
KALABA_FN X cubic_at(const PlaceInStep<X>& place, const X& begin, const X& end, const X& begin_slope,
                     const X& end_slope, const X& bulge) {
  const X change = end - begin;
  const X first = fma(place.length, begin_slope, -change);
  const X second = change - fma(place.length, end_slope, first);
  const X curve = fma(place.left, fma(place.along, fma(place.left, bulge, second), first), change);
  return select(place.inside, fma(place.along, curve, begin), end);
}

}  // namespace kalaba
