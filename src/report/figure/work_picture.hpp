#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Computing time as a function of the error, one curve per method, on log axes.
struct WorkPicture {
  struct Point {
    double error = 0;    ///< relative
    double seconds = 0;  ///< per member
  };
  struct Curve {
    std::string name;
    std::vector<Point> points;
  };
  std::string title;
  std::string subtitle;
  std::vector<Curve> curves;
  double trusted = 0;  ///< dashed line: smaller errors cannot be resolved by the reference
};

/// Draws the picture with gnuplot to a .png or .svg. Throws Error if this fails.
void draw_work(const WorkPicture& picture, const std::string& path);

}  // namespace kalaba
