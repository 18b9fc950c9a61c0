#pragma once

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Declares the discrete variable of [model.noise] with the key of a member's random numbers, after the other discrete
/// variables.
void declare_noise(Draft& draft);

/// Reads [model.noise], the white-noise forces. Throws Error.
void read_noise(Draft& draft);

}  // namespace kalaba::text_model
