#pragma once

#include <string>

namespace kalaba {

/// Text as a single-quoted gnuplot string, with quotes.
std::string quoted(const std::string& text);

/// Number in the format of gnuplot's data and ranges; "NaN" if it is not finite.
std::string gnuplot_number(double value);

/// Runs gnuplot on the script; the output of its terminal is written to the open file `picture`. Throws Error if
/// gnuplot is not installed or fails, with its message.
void run_gnuplot(const std::string& script, int picture);

}  // namespace kalaba
