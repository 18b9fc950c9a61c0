#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

// A Pause requests that a time loop returns before it is done: the loop polls it between steps, and between the
// changes within one. The caller repeats the call with the same arguments, and the loop continues to the same bits.

/// The Pause of callers that never interrupt a loop.
struct NoPause {
  KALABA_FN static constexpr bool wanted() { return false; }
};

}  // namespace kalaba
