#pragma once

#include <string>

#include "fit/fit.hpp"

namespace kalaba::fit {

/// Returns a fit as one JSON object. `exit_code`: exit code of the command; `complaints`: its lines.
std::string fit_json(const Problem& problem, const Fit& fit, int exit_code, const std::vector<std::string>& complaints);

}  // namespace kalaba::fit
