#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// One member with the default parameters, where it starts with them.
Block default_member(const SystemInfo& info);

}  // namespace kalaba
