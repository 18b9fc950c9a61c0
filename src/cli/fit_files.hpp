#pragma once

#include <string>

#include "fit/fit.hpp"

namespace kalaba {

/// Throws Error(bad_input) where no file of a fit ends so: .png and .svg are pictures, .html is a page, .json numbers.
void check_fit_file(const std::string& path);

/// What a fit came to, as its ending says. `json`: the object. Throws Error where that cannot be written.
void write_fit_file(const std::string& path, const fit::Problem& problem, const fit::Fit& fit, const std::string& json);

}  // namespace kalaba
