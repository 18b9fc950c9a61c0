#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Measured columns beside the motion that was fitted to them, and what is left over.
struct FitPicture {
  struct Row {
    std::string name;
    std::string unit;
    std::vector<double> curve_times;  ///< s
    std::vector<double> curve;        ///< the motion
    std::vector<double> times;        ///< of the measured numbers
    std::vector<double> numbers;
    std::vector<double> residuals;  ///< motion − measured
    double deviation = 0;           ///< of a number: a band around zero
  };
  std::string title;
  std::string subtitle;
  std::vector<Row> rows;
};

/// So many columns are drawn, the first ones.
inline constexpr std::size_t most_fit_rows = 6;

/// Draws it with gnuplot to a .png or .svg. Throws Error where that cannot be.
void draw_fit(const FitPicture& picture, const std::string& path);

/// The same for a page: of every row one SVG element of both panels.
std::vector<std::string> fit_svgs(const FitPicture& picture);

}  // namespace kalaba
