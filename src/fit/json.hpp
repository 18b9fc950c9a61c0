#pragma once

#include <string>

#include "fit/fit.hpp"

namespace kalaba::fit {

/// A fit as one JSON object. `exit_code`: what the command ends with; `complaints`: its lines.
std::string fit_json(const Problem& problem, const Fit& fit, int exit_code, const std::vector<std::string>& complaints);

}  // namespace kalaba::fit
