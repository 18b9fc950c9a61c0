#pragma once

#include <string>
#include <vector>

#include "fit/fit.hpp"

namespace kalaba {

/// Returns the result of a fit as text for people.
std::string fit_text(const fit::Problem& problem, const fit::Fit& fit);

/// Returns its faults, one per line: no start that converges, variables that the data do not determine.
std::vector<std::string> fit_complaints(const fit::Problem& problem, const fit::Fit& fit);

/// "0.99987 ± 0.00012 m", or the value alone if it has no error.
std::string estimate_text(const fit::FreeVariable& variable, double value, double error);

/// Numbers of starts by outcome: "1,000: 612 agree, 320 converge elsewhere, 68 fail".
std::string starts_text(const fit::Fit& fit);

/// Rows of the estimates and of their correlations, with a heading.
std::vector<std::vector<std::string>> estimate_rows(const fit::Problem& problem, const fit::Fit& fit);
std::vector<std::vector<std::string>> correlation_rows(const fit::Problem& problem, const fit::Fit& fit);
/// Rows of the best minima, likewise.
std::vector<std::vector<std::string>> minimum_rows(const fit::Problem& problem, const fit::Fit& fit);

}  // namespace kalaba
