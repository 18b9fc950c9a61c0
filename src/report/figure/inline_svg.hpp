#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Draws panels, each given as a gnuplot script, as SVG elements in one run of gnuplot, whose start takes longer than
/// drawing. Throws as run_gnuplot does.
std::vector<std::string> draw_svgs(const std::vector<std::string>& scripts);

/// Adapts an SVG element for a page: full width of its container, with the page's fonts. `name`: prefix of all ids in
/// the element, unique in the page; `words`: alternative text.
std::string inline_svg(std::string svg, const std::string& name, const std::string& words);

}  // namespace kalaba
