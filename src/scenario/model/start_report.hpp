#pragma once

#include <string>

#include "formula/derive.hpp"
#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// What numbers show at the default start of the default parameters.
struct StartReport {
  std::string error;  ///< the motion cannot begin: something is not finite, or the metric is singular; empty: it can
  std::string off;    ///< a constraint does not hold there; empty: all do
  std::string loose;  ///< the gradient of a constraint vanishes there, so that it holds nothing; empty: none does
};

StartReport report_start(Draft& draft, const formula::Terms& terms);

}  // namespace kalaba::text_model
