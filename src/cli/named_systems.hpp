#pragma once

#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba {

/// The catalogue's systems of that name, one a size. Throws Error naming the nearest right word.
std::vector<const System*> systems_named(const std::string& name);

/// Every size of the systems of these names, each once; the whole catalogue where there are none.
std::vector<const System*> systems_named_or_all(const std::vector<std::string>& names);

/// "agents = 5, 2, 3" where the entries of one system differ in their structure, else "".
std::string sizes_text(const std::vector<const System*>& entries);

}  // namespace kalaba
