#pragma once

#include <string>

namespace kalaba {

/// The picture of a panel as an SVG element to stand in a page: as wide as its place, in its fonts. `name` begins every
/// id in it and must differ between the pictures of a page; `words` say what it shows where it cannot be seen.
/// Throws as run_gnuplot does.
std::string inline_svg(const std::string& script, const std::string& name, const std::string& words);

}  // namespace kalaba
