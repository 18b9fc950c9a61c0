#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kalaba/system.hpp"
#include "scenario/document.hpp"

namespace kalaba {

/// The run's options: [time], [solver], [output] but for its file, and initial.project, over the system's defaults.
Options read_options(Document& document, const System& system);

/// The fields that can be saved of a system.
std::vector<std::string> field_names(const SystemInfo& system);

}  // namespace kalaba
