#pragma once

#include <functional>
#include <optional>

#include "backend/reference/events.hpp"

namespace kalaba::reference {

/// Gap of an open contact, with its slack, at a place in a step.
struct GapHere {
  double part = 0;
  double gap = 0;
  double slope = 0;  ///< change per step

  /// The gap is zero or less and does not increase.
  bool has_fallen() const { return gap <= 0 && !(slope > 0); }
};

/// Places in a step between which the gap of an open contact first falls to zero.
struct Closing {
  GapHere before;
  GapHere after;
};

/// Returns the first closing of a gap in a step by recursive bisection. An interval is not divided if the slopes within
/// it, as far as five of them show their range, keep the gap above -`depth` or let it cross zero once. `lowest` returns
/// the depth for the least of the first samples.
std::optional<Closing> first_closing(const std::function<GapHere(double part)>& gap,
                                     const std::function<double(const GapHere& begin, double lowest)>& depth);

/// First closing of an open contact in a step of this length, and its value there: the gap, or, for a gap that leaves
/// zero at the beginning, the value of its event.
std::optional<Closing> closing_of(const Watch& watch, int contact, double length, const StateAt& state,
                                  const OpenGaps& gaps);

/// Gap of a contact, with its slack, at an instant; `part` is its place in a step of this length.
GapHere gap_here(const Watch& watch, int contact, double part, double length, const Instant& x, const GapsAt& gaps_at);

}  // namespace kalaba::reference
