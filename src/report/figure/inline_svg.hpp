#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// The pictures of panels, each a gnuplot script of its own, as SVG elements: drawn by one run of gnuplot, which takes
/// longer to start than to draw. Throws as run_gnuplot does.
std::vector<std::string> draw_svgs(const std::vector<std::string>& scripts);

/// One of them to stand in a page: as wide as its place, in its fonts. `name` begins every id in it and must differ
/// between the pictures of a page; `words` say what it shows where it cannot be seen.
std::string inline_svg(std::string svg, const std::string& name, const std::string& words);

}  // namespace kalaba
