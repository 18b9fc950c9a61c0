#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Number of members that failed, and for each status the first of them with its reason; lines with line breaks.
std::string failure_text(const Summary& summary);

/// Line of a summary below its heading.
struct SummaryLine {
  std::string title;
  std::string text;
  bool is_warning = false;  ///< members were moved, interrupted or lost, or a result is less accurate than it should be
};

std::vector<SummaryLine> summary_lines(const SystemInfo& system, const Options& options, const Summary& summary);

/// Line of a summary, with a line break.
std::string line_text(const std::string& title, const std::string& text);

/// Warnings of a run, each "energy: drifts by ...".
std::vector<std::string> warnings_of(const SystemInfo& system, const Options& options, const Summary& summary);

/// Summary of a run for the user: several lines, each with a line break. `file`: path of the output, "" for none.
std::string summary_text(const SystemInfo& system, const Options& options, const Summary& summary,
                         const std::string& file);

/// Description of a run's statistics and the accuracy of its quantiles: one line without a line break.
std::string statistics_text(const SystemInfo& system, const Options& options, long members);

}  // namespace kalaba
