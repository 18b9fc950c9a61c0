#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/csv/csv_import.hpp"
#include "report/data/drawing.hpp"

namespace kalaba {

struct ReportOptions {
  std::string output;                ///< a .html; empty: one beside the data
  std::vector<std::string> sampled;  ///< coordinates and rates whose starts the scenario varies
  std::string equations = {};        ///< of the system, one line each; empty: not shown
  DrawingOfScenario drawing_of_model = nullptr;
  std::optional<ImportedTables> tables = {};  ///< the CSV tables from which the file was imported
};

/// Writes a netCDF output as a self-contained HTML page: outcomes of the members, pictures over time, sensitivities to
/// the inputs, final values, constraint errors, scenario and origin. gnuplot draws the pictures. Returns the page's
/// path. Throws Error for an output name that does not end in .html, for a file that cannot be read or written, and if
/// gnuplot is not installed or fails; the page appears atomically.
std::string write_report(const std::string& data_path, const ReportOptions& options);

}  // namespace kalaba
