#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Time over error, a curve a method, on log axes.
struct WorkPicture {
  struct Point {
    double error = 0;    ///< a share
    double seconds = 0;  ///< a member
  };
  struct Curve {
    std::string name;
    std::vector<Point> points;
  };
  std::string title;
  std::string subtitle;
  std::vector<Curve> curves;
  double trusted = 0;  ///< a dashed line: smaller errors cannot be told
};

/// Draws it with gnuplot to a .png or .svg. Throws Error where that cannot be.
void draw_work(const WorkPicture& picture, const std::string& path);

}  // namespace kalaba
