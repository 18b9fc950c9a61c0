#pragma once

#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba {

/// Returns the catalogue's systems of that name, one per size. Throws Error with the nearest valid name.
std::vector<const System*> systems_named(const std::string& name);

/// Returns every size of the systems with these names, without duplicates; the whole catalogue if there are no names.
std::vector<const System*> systems_named_or_all(const std::vector<std::string>& names);

/// "agents = 5, 2, 3" if the entries of one system differ in their structure, else "".
std::string sizes_text(const std::vector<const System*>& entries);

}  // namespace kalaba
