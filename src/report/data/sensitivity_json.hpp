#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/csv/csv_import.hpp"
#include "report/data/sensitivity.hpp"
#include "report/data/shown_statistics.hpp"

namespace kalaba {

/// Dependence of the outputs on the inputs, as on a report's page, as one JSON object.
std::string sensitivity_json(const Sensitivity& data);

/// Gradients along variables of these names: component, statistic, variable.
std::string gradients_json(const std::vector<StatisticGradient>& gradients, const std::vector<std::string>& along);

/// Both objects for a netCDF output; `sampled` and `tables` as in ReportOptions. Throws Error if the file cannot be
/// read.
std::string report_json(const std::string& data_path, const std::vector<std::string>& sampled,
                        const std::optional<ImportedTables>& tables = {});

}  // namespace kalaba
