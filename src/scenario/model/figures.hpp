#pragma once

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Reads [[model.figures]], which hold for the default structure. Throws Error.
void read_figures(Draft& draft);

}  // namespace kalaba::text_model
