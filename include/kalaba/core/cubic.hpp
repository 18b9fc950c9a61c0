#pragma once

#include "kalaba/core/real.hpp"

namespace kalaba {

/// A place within a step, or behind it.
template <class X>
struct PlaceInStep {
  MaskOf<X> inside;
  X along;  ///< part of the step, 1 behind it
  X left;   ///< 1 - along
  X length;
};

/// Value at a place of a step of the cubic that has these values and slopes at the ends of the step. `bulge` is added to
/// its second difference: along^2 left^2 bulge to the value.
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
