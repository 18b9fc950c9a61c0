#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Measured columns, the fitted motion, and the residuals.
struct FitPicture {
  struct Row {
    std::string name;
    std::string unit;
    std::vector<double> curve_times;  ///< s
    std::vector<double> curve;        ///< fitted motion
    std::vector<double> times;        ///< of the measured numbers
    std::vector<double> numbers;
    std::vector<double> residuals;  ///< fitted minus measured
    double deviation = 0;           ///< standard deviation of a measured number: a band around zero
  };
  std::string title;
  std::string subtitle;
  std::vector<Row> rows;
};

/// Maximum number of columns that are drawn, the first ones.
inline constexpr std::size_t most_fit_rows = 6;

/// Draws the picture with gnuplot to a .png or .svg. Throws Error if this fails.
void draw_fit(const FitPicture& picture, const std::string& path);

/// Draws the picture for a page: one SVG element with both panels per row.
std::vector<std::string> fit_svgs(const FitPicture& picture);

}  // namespace kalaba
