#pragma once

#include "kalaba/core/portable.hpp"

namespace kalaba {

// A Pause tells a time loop to return before it is done: wanted() is polled between steps. The caller repeats the call
// with the same arguments, and the loop continues to the same bits.

/// The Pause of callers that never interrupt a loop.
struct NoPause {
  KALABA_FN static constexpr bool wanted() { return false; }
};

}  // namespace kalaba
