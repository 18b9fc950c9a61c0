#pragma once

#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba {

/// What files call the parameters: by their names, or "parameter_NAME" where some file, be it of another run, has a
/// variable of that name for itself, which would be read in its place.
std::vector<std::string> parameter_names(const SystemInfo& system);

/// Whether files have a variable of this name for themselves, whatever the system.
bool is_own_name(const std::string& name);

}  // namespace kalaba
