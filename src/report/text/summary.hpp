#pragma once

#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// How many members failed, of what, and the first of them, in a line that is not ended.
std::string failure_text(const Summary& summary);

/// What a run came to, for people: several lines, each ended. `file` is where the output is, "" for none.
std::string summary_text(const SystemInfo& system, const Options& options, const Summary& summary,
                         const std::string& file);

}  // namespace kalaba
