#pragma once

#include <string>
#include <vector>

namespace kalaba {

struct ReportOptions {
  std::string output;                ///< a .html; empty: one beside the data
  std::vector<std::string> sampled;  ///< coordinates and rates whose initial values the scenario varies
  std::string equations = {};        ///< of the system, a line each; empty: none are shown
};

/// Writes a netCDF output as one page for a browser that needs nothing else: what came of the members, pictures over
/// time, sensitivity to what was varied, values at the end, constraint errors, scenario and origin. Pictures are by
/// gnuplot. Returns the page's path. Throws Error on an output's name that does not end in .html, on a file that cannot
/// be read or written, and where gnuplot is absent or fails; the page appears complete or not at all.
std::string write_report(const std::string& data_path, const ReportOptions& options);

}  // namespace kalaba
