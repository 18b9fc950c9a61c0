#pragma once

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Reads [model.start] into the draft's statement: of parameters alone, as what it takes of other starts is put in.
/// Throws Error.
void read_start(Draft& draft);

}  // namespace kalaba::text_model
