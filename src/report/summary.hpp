#pragma once

#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// What a run came to, for people: several lines, each ended. `file` is where the output is, "" for none.
std::string summary_text(const SystemInfo& system, const Options& options, const Summary& summary,
                         const std::string& file);

}  // namespace kalaba
