#pragma once

#include <string>

namespace kalaba {

/// Text for a single-quoted gnuplot string, quotes included.
std::string quoted(const std::string& text);

/// A number as gnuplot reads it in data and ranges; "NaN" where it is not finite.
std::string gnuplot_number(double value);

/// Runs gnuplot over the script; what its terminal writes goes to the open file `picture`. Throws Error where gnuplot
/// is not installed, or fails, with what it said.
void run_gnuplot(const std::string& script, int picture);

}  // namespace kalaba
