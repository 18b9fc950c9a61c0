#pragma once

#include <string>
#include <vector>

#include "report/data/gradients.hpp"
#include "report/data/sensitivity.hpp"

namespace kalaba {

/// What a report's page says of how outputs go with what was varied, as one JSON object.
std::string sensitivity_json(const Sensitivity& data);

/// Of gradients along variables of these names: component, statistic, variable.
std::string gradients_json(const std::vector<StatisticGradient>& gradients, const std::vector<std::string>& along);

/// Both of a netCDF output; `sampled` as in ReportOptions. Throws Error where it cannot be read.
std::string report_json(const std::string& data_path, const std::vector<std::string>& sampled);

}  // namespace kalaba
