#pragma once

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Reads [model.start] into the draft's statement: of parameters and of other starts, none by itself. Throws Error.
void read_start(Draft& draft);

}  // namespace kalaba::text_model
