#pragma once

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Reads [[model.figures]], which apply to the default structure only. Throws Error.
void read_figures(Draft& draft);

}  // namespace kalaba::text_model
