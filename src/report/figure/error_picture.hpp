#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Errors over the step, a line a quantity, on log axes.
struct ErrorPicture {
  std::string title;
  std::string subtitle;
  std::string step_label;  ///< "dt (s)"
  std::vector<double> steps;
  struct Line {
    std::string name;
    std::vector<double> errors;  ///< [step], as shares of the quantity's size
  };
  std::vector<Line> lines;  ///< the largest errors are drawn, as many as have a colour
  double wanted = 0;        ///< drawn across
};

/// Draws it with gnuplot to a .png or .svg. Throws Error where that cannot be.
void draw_errors(const ErrorPicture& picture, const std::string& path);

}  // namespace kalaba
