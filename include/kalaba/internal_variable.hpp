#pragma once

#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// Returns true for a discrete variable that no model states, such as a value that waits for a clock with a delay.
/// Lists for users do not contain it.
inline bool is_internal(const Variable& variable) { return variable.name.find('@') != std::string::npos; }

}  // namespace kalaba
