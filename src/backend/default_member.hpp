#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// Returns one member with the default parameters and the corresponding start.
Block default_member(const SystemInfo& info);

}  // namespace kalaba
