#pragma once

#include <array>
#include <string>
#include <vector>

namespace kalaba {

/// The frame of a panel on a page, in pixels from the page's lower left corner.
struct PanelFrame {
  double left = 0;
  double right = 0;
  double bottom = 0;
  double top = 0;

  double height() const { return top - bottom; }
  double aspect() const { return (right - left) / height(); }
};

/// Pixels.
struct PageSize {
  double width = 1600;
  double row_height = 440;
};

/// A page of rows of panels under a title; every row fills the width.
class Page {
 public:
  /// `row_sizes`: panels in each row. `legend`: what stands for all panels, as gnuplot's `keyentry` terms.
  Page(const std::vector<std::size_t>& row_sizes, const std::string& title, const std::string& subtitle,
       const std::vector<std::string>& legend, const PageSize& size = {});

  /// One frame a panel, row by row.
  const std::vector<PanelFrame>& frames() const { return frames_; }

  /// The whole gnuplot script, of one text a panel. `ending`: ".png" or ".svg".
  std::string script(const std::string& ending, const std::vector<std::string>& panels) const;
  /// The same page again and again, as a GIF: of every frame one text a panel.
  std::string animation(const std::vector<std::vector<std::string>>& frames) const;

 private:
  std::string begin(const std::string& terminal) const;
  std::string sheet(const std::vector<std::string>& panels) const;
  std::string head() const;

  double width_;
  double height_;
  std::string title_;
  std::string subtitle_;
  std::vector<std::string> legend_;
  std::vector<PanelFrame> frames_;
};

/// The script of a single panel as an SVG without a background, in pixels; `frame` is where panel_frame says.
std::string panel_script(double width, double height, const std::string& panel);
PanelFrame panel_frame(double width, double height);

/// The still pictures that can be made, by ending.
const std::vector<std::string>& picture_endings();

/// The ending of a picture's name. Throws Error where no such picture can be made.
std::string picture_ending(const std::string& path);

/// The palette: one hue for data, one for what stands out against it.
namespace color {
inline constexpr const char* ink = "#26323d";
inline constexpr const char* soft_ink = "#66727e";
inline constexpr const char* grid = "#e8ebee";
inline constexpr const char* wide_band = "#dce8f4";
inline constexpr const char* narrow_band = "#a9c8e6";
inline constexpr const char* line = "#1d5a96";
inline constexpr const char* second_line = "#b0563b";
inline constexpr const char* highlight = "#e07b1a";
/// For curves that are told apart.
inline constexpr std::array curves = {line, second_line, "#2f7d5b", highlight, "#7a55a5"};
}  // namespace color

}  // namespace kalaba
