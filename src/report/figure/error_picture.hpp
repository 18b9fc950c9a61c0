#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Errors as a function of the step size, one line per quantity, on log axes.
struct ErrorPicture {
  std::string title;
  std::string subtitle;
  std::string step_label;  ///< "dt (s)"
  std::vector<double> steps;
  struct Line {
    std::string name;
    std::vector<double> errors;  ///< [step], relative to the quantity's magnitude
  };
  std::vector<Line> lines;  ///< only those with the largest errors are drawn, one per colour
  double requested = 0;     ///< tolerance, drawn as a horizontal line
};

/// Draws the picture with gnuplot to a .png or .svg. Throws Error if this fails.
void draw_errors(const ErrorPicture& picture, const std::string& path);

}  // namespace kalaba
