#pragma once

#include <string>

#include "fit/fit.hpp"

namespace kalaba {

/// Throws Error(bad_input) if the ending is none of a fit's files: .png and .svg are pictures, .html is a page, .json
/// numbers.
void check_fit_file(const std::string& path);

/// Writes the result of a fit in the format of the file's ending. `json`: the object. Throws Error if it cannot be
/// written.
void write_fit_file(const std::string& path, const fit::Problem& problem, const fit::Fit& fit, const std::string& json);

}  // namespace kalaba
