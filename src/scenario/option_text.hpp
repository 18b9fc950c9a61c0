#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kalaba/option_table.hpp"

namespace kalaba {

/// Value of an option as TOML; "" if it is not set.
std::string toml_value(const RunOption& option, const Options& options);

/// Lines "NAME = VALUE" of the options of a table ("solver") that are set, for Scenario::text.
std::string toml_options(std::string_view table, const Options& options, bool is_swarm,
                         std::span<const RunOption> rows = option_table());

/// Permitted words and meaning of an option in one line, for the template of a scenario.
std::string option_comment(const RunOption& option);

/// The tables of options in docs/scenario.md.
std::string options_page(std::span<const RunOption> rows = option_table());

/// Type of an option's value in Python.
std::string python_type(const RunOption& option);

/// Names of the integrators with adaptive steps, with " or " as `between`: "dopri5 or dop853".
std::string adaptive_names(std::string_view between);

std::string toml_stabilization(const Stabilization& stabilization);
std::string toml_fields(const SavedFields& fields);
std::string toml_statistics(const std::vector<Statistic>& kinds);

}  // namespace kalaba
