#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// The two pucks of perpendicular_velocities without their constraint, which the paper draws beside them [RH figure 1].
const System& free_pucks();

}  // namespace kalaba
