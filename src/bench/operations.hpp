#pragma once

#include <optional>

#include "kalaba/system.hpp"

namespace kalaba::bench {

/// Floating-point operations by kind. Changes of sign and magnitudes are masks of bits, and not counted.
struct Operations {
  double additions = 0;  ///< and subtractions
  double multiplications = 0;
  double fused = 0;  ///< multiply-adds
  double divisions = 0;
  double roots = 0;      ///< square roots and their reciprocals
  double choices = 0;    ///< comparisons and selections
  double functions = 0;  ///< sin, exp, pow, ...

  /// By the usual convention: a multiply-add is two, a choice none, everything else one. What a machine does for a
  /// division, a root or a sine is more, so that a share of its peak that rests on this is a lower bound.
  double flops() const { return additions + multiplications + 2 * fused + divisions + roots + functions; }
};

/// What the cpu backend's algorithm does for one member in one step, on average over the first 64 steps of a run from
/// the default start; none for a system whose operations this program was not built to count.
std::optional<Operations> operations_of_step(const System& system, const Method& method);

}  // namespace kalaba::bench
