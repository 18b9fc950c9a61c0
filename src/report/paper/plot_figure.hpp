#pragma once

#include <string>

namespace kalaba {

/// Integrates the runs of a paper's figure (report/figures.hpp) and draws it to `output`, a .png or .svg; "": NAME.png.
/// Returns the picture written. Throws Error on an unknown name, on a run that fails, and where gnuplot is absent or
/// fails.
std::string plot_figure(const std::string& name, const std::string& output);

}  // namespace kalaba
