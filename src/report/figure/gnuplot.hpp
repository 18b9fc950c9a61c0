#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Text as a single-quoted gnuplot string, with quotes.
std::string quoted(const std::string& text);

/// Number in the format of gnuplot's data and ranges; "NaN" if it is not finite.
std::string gnuplot_number(double value);

/// Runs gnuplot on the script; the output of its terminal is written to the open file `picture`. Throws Error if
/// gnuplot is not installed or fails, with its message.
void run_gnuplot(const std::string& script, int picture);

/// Draws panels, each given as a gnuplot script, as SVG elements in one run of gnuplot, whose start takes longer than
/// drawing. Throws as run_gnuplot does.
std::vector<std::string> draw_svgs(const std::vector<std::string>& scripts);

/// Adapts an SVG element for a page: full width of its container, with the page's fonts. `name`: prefix of all ids in
/// the element, unique in the page; `words`: alternative text.
std::string inline_svg(std::string svg, const std::string& name, const std::string& words);

}  // namespace kalaba
