#pragma once

#include <string>

namespace kalaba {

/// Integrates the runs of a paper's figure (report/paper/figures.hpp) and draws it to `output`, a .png or .svg; "":
/// NAME.png. Returns the path of the picture. Throws Error for an unknown name, for a run that fails, and if gnuplot is
/// not installed or fails.
std::string plot_figure(const std::string& name, const std::string& output);

}  // namespace kalaba
