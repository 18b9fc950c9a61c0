#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// The two pucks of perpendicular_velocities without their constraint, which the paper shows for comparison [RH figure
/// 1].
const System& free_pucks();

}  // namespace kalaba
