#pragma once

#include "kalaba/option_table.hpp"
#include "scenario/document/document.hpp"
#include "scenario/read_members.hpp"

namespace kalaba {

/// Reads output.statistics, quantiles, histogram or group_by into options whose fields are already set.
void read_statistics(const Node& node, OptionForm form, const SystemInfo& system, Options& options);

/// Sets the options that depend on the distributions of the variables: the inputs of correlations, and the values for
/// grouping.
void read_statistics_inputs(Document& document, const SystemInfo& system, const Members& members,
                            StatisticsOptions& statistics);

}  // namespace kalaba
