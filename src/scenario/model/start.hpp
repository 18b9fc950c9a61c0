#pragma once

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Reads [model.start] into the draft's statement: expressions of parameters and of other starts without circular
/// definitions. Throws Error.
void read_start(Draft& draft);

}  // namespace kalaba::text_model
