#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// How many members failed, of what, and the first of them, in a line that is not ended.
std::string failure_text(const Summary& summary);

/// A line of a summary below its heading.
struct SummaryLine {
  std::string title;
  std::string text;
  bool is_warning = false;  ///< what was moved, broken off or lost, or is less exact than it should be
};

std::vector<SummaryLine> summary_lines(const SystemInfo& system, const Options& options, const Summary& summary);

/// A line as a summary has it, ended.
std::string line_text(const std::string& title, const std::string& text);

/// The warnings of a run, each "energy: drifts by ...".
std::vector<std::string> warnings_of(const SystemInfo& system, const Options& options, const Summary& summary);

/// What a run came to, for people: several lines, each ended. `file` is where the output is, "" for none.
std::string summary_text(const SystemInfo& system, const Options& options, const Summary& summary,
                         const std::string& file);

}  // namespace kalaba
