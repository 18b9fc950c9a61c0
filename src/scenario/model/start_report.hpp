#pragma once

#include <string>

#include "formula/mechanics/derive.hpp"
#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Findings of the evaluation at the default start with default parameters.
struct StartReport {
  std::string error;  ///< a value is not finite, or the metric is singular, so that no motion is possible; empty: none
  std::string off;    ///< a constraint that does not hold at the start; empty: all hold
  std::string loose;  ///< a constraint whose gradient vanishes at the start, so that it has no effect; empty: none
};

StartReport report_start(Draft& draft, const formula::Terms& terms);

}  // namespace kalaba::text_model
